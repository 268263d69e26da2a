// The permissions of one thread: who answers its questions, which answers the running turn remembers, and what is known of the calls that a question
// can be about. A turn begins and ends here as a whole.
import type { Subject } from "@signalbox/rules";
import type { PermissionBroker } from "./broker.ts";
import { QuestionHistory } from "./question-history.ts";
import { ToolCallIndex } from "./tool-call-index.ts";
import { TurnGrants } from "./turn-grants.ts";
import { TurnSignal } from "./turn-signal.ts";

export class ThreadPermissions {
  readonly broker: PermissionBroker;
  readonly toolCalls = new ToolCallIndex();
  readonly history = new QuestionHistory();
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
    this.history.clear();
  }

  /** Cancels the questions of the turn and forgets its answers. May be called more than once for a turn. */
  endTurn(): void {
    this.turn.endTurn();
    this.#grants.clear();
    this.broker.endTurn(this.#threadId);
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
