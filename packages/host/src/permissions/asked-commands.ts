// This module keeps the questions of a thread in order, and which commands were asked about in the running turn: a second question about one
// says that it is the second, and what the first was about.
import type { Json } from "@signalbox/protocol";
import { lineInShell, type Subject } from "@signalbox/rules";

export class AskedCommands {
  #last: Promise<unknown> = Promise.resolve();
  readonly #paths = new Map<string, readonly string[]>();
  readonly #denied = new Set<string>();
  /** Calls of which a question did not name the command. */
  readonly #unnamed = new Set<string>();

  /** Runs `ask` when what came before it has been asked: describing one question takes longer than describing another. */
  inOrder<Result>(ask: () => Promise<Result>): Promise<Result> {
    const asked = this.#last.then(ask, ask);
    this.#last = asked;
    return asked;
  }

  clear(): void {
    this.#paths.clear();
    this.#denied.clear();
    this.#unnamed.clear();
  }

  /** Whether an earlier question about this call did not name the command that this one names. */
  followsUnnamed({ command, isCommandExact }: Subject, toolCallId: Json | undefined): boolean {
    if (typeof toolCallId !== "string") return false;
    const isNamed = command !== undefined && isCommandExact;
    if (!isNamed) this.#unnamed.add(toolCallId);
    return isNamed && this.#unnamed.has(toolCallId);
  }

  /** Keeps how the last question about a command was answered. */
  answered({ command }: Subject, isDenied: boolean): void {
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
