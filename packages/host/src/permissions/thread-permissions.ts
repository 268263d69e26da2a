// The permissions of one thread: who answers its questions, which answers the running turn remembers, and what is known of the calls that a question
// can be about. A turn begins and ends here as a whole.
import { SerialQueue } from "@signalbox/base";
import { isNetworkOfCommand, lineInShell, type Subject, TurnRefusals } from "@signalbox/rules";
import type { PermissionBroker } from "./broker.ts";
import { ToolCallIndex } from "./tool-call-index.ts";
import { TurnGrants } from "./turn-grants.ts";
import { TurnSignal } from "./turn-signal.ts";

export class ThreadPermissions {
  readonly broker: PermissionBroker;
  readonly toolCalls = new ToolCallIndex();
  readonly history = new QuestionHistory();
  /** Things that a person refused in the running turn. */
  readonly refusals = new TurnRefusals();
  /** Aborts when the running turn is cancelled or ends: questions of the turn end with it. */
  readonly turn = new TurnSignal();
  readonly #threadId: string;
  readonly #grants = new TurnGrants();

  constructor(broker: PermissionBroker, threadId: string) {
    this.broker = broker;
    this.#threadId = threadId;
  }

  beginTurn(): void {
    this.turn.beginTurn();
    this.#grants.clear();
    this.refusals.clear();
    this.history.clear();
  }

  /** Cancels the questions of the turn and forgets its answers. May be called more than once for a turn. */
  endTurn(): void {
    this.turn.endTurn();
    this.#grants.clear();
    this.broker.endTurn(this.#threadId);
  }

  /** Remembers how a question was answered, so that a no holds until the turn ends. */
  recordAnswer(subject: Subject, isAllowed: boolean): void {
    this.history.recordAnswer(subject, !isAllowed);
    // A command without the network does something else than with it.
    if (isNetworkOfCommand(subject)) return;
    this.refusals.record(subject, isAllowed);
    if (!isAllowed) this.#grants.revoke(subject);
  }

  /** Remembers a yes for the rest of the turn. */
  grant(subject: Subject, decidedBy: string): void {
    this.#grants.add(subject, decidedBy === "rule" ? "rule" : "person");
  }

  /** Whether an answer of this turn covers it, and no rule denies it by now. An answer about a command is used up by this. */
  takeGrant(subject: Subject): boolean {
    if (this.broker.preview(subject).decision === "deny") return false;
    return this.#grants.take(subject, (asked) => this.broker.preview(asked).decision === "allow");
  }
}

/**
 * Keeps the questions of a thread in order, and remembers the commands that the running turn has asked about: a second question about a command says that
 * it is the second, and which paths the first named.
 */
export class QuestionHistory {
  readonly #queue = new SerialQueue();
  readonly #paths = new Map<string, readonly string[]>();
  readonly #denied = new Set<string>();

  /** Runs `ask` when the earlier questions have been asked. Some take longer to describe than others, and the order must not change. */
  inOrder<Result>(ask: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(ask);
  }

  clear(): void {
    this.#paths.clear();
    this.#denied.clear();
  }

  /** Remembers how the last question about a command was answered. */
  recordAnswer({ command }: Subject, isDenied: boolean): void {
    if (command === undefined) return;
    if (isDenied) this.#denied.add(lineInShell(command));
    else this.#denied.delete(lineInShell(command));
  }

  /** Whether the last question about the same command was denied. */
  wasDenied({ command }: Subject): boolean {
    return command !== undefined && this.#denied.has(lineInShell(command));
  }

  /** Returns the paths outside the folder that earlier questions about the same command named; null when this is the first. */
  add({ command, isCommandExact }: Subject, outside: readonly string[]): readonly string[] | null {
    if (command === undefined || !isCommandExact) return null;
    const line = lineInShell(command);
    const before = this.#paths.get(line) ?? null;
    this.#paths.set(line, [...new Set([...(before ?? []), ...outside])]);
    return before;
  }
}
