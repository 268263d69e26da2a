// Keeps the questions of a thread in order, and the commands of the running turn's questions: a second question about a command says that it is
// the second, and what the first was about.
import { SerialQueue } from "@signalbox/base";
import { lineInShell, type Subject } from "@signalbox/rules";

export class QuestionHistory {
  readonly #queue = new SerialQueue();
  readonly #paths = new Map<string, readonly string[]>();
  readonly #denied = new Set<string>();

  /** Runs `ask` after the questions before it were asked: describing one takes longer than describing another. */
  inOrder<Result>(ask: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(ask);
  }

  clear(): void {
    this.#paths.clear();
    this.#denied.clear();
  }

  /** Keeps how the last question about a command was answered. */
  recordAnswer({ command }: Subject, isDenied: boolean): void {
    if (command === undefined) return;
    if (isDenied) this.#denied.add(lineInShell(command));
    else this.#denied.delete(lineInShell(command));
  }

  /** Whether the last question about the same command was denied. */
  wasDenied({ command }: Subject): boolean {
    return command !== undefined && this.#denied.has(lineInShell(command));
  }

  /** Gives the paths outside the folder that earlier questions about the same command named; null when this is the first. */
  add({ command, isCommandExact }: Subject, outside: readonly string[]): readonly string[] | null {
    if (command === undefined || !isCommandExact) return null;
    const line = lineInShell(command);
    const before = this.#paths.get(line) ?? null;
    this.#paths.set(line, [...new Set([...(before ?? []), ...outside])]);
    return before;
  }
}
