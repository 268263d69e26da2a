// What may wait while nothing can be stored: a bounded amount. Beyond it an agent's words are refused before the host's own
// facts are, and what was refused is counted, so that the log can say that something is missing and how much.
import type { Entry } from "../register.ts";

/** For what agents send; twice as much for what the host states. */
const LIMIT = 32 * 1024 * 1024;

export class WaitingRoom {
  readonly #refused = new Map<string, number>();

  /** True when the entry may wait beside the `waiting` bytes that do. */
  admits(threadId: string, entry: Entry, waiting: number): boolean {
    if (waiting <= (isVoluminous(entry) ? LIMIT : 2 * LIMIT)) return true;
    this.#refused.set(threadId, (this.#refused.get(threadId) ?? 0) + 1);
    return false;
  }

  /** How many entries of which threads were refused since this was last asked. */
  takeRefused(): ReadonlyMap<string, number> {
    const refused = new Map(this.#refused);
    this.#refused.clear();
    return refused;
  }
}

function isVoluminous(entry: Entry): boolean {
  return entry.type !== "fact" || entry.fact.type === "terminal_output" || entry.fact.type === "agent_request";
}
