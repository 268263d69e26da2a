// Sends updates one after the other: the next one leaves when the one before has been taken, so none overtakes another on any
// connection. Updates that wait and change no status are merged: a slow client makes only a handful wait for each call.
import type { Plan, ToolCall, ToolCallUpdate } from "@agentclientprotocol/sdk";

export type TrackedUpdate =
  | (ToolCall & { sessionUpdate: "tool_call" })
  | (ToolCallUpdate & { sessionUpdate: "tool_call_update" })
  | (Plan & { sessionUpdate: "plan" });

/** Hands an update over. Returns a promise, which never rejects, when it has not been taken yet. */
export type SendUpdate = (update: TrackedUpdate) => Promise<void> | undefined;

export class UpdateQueue {
  readonly #send: SendUpdate;
  readonly #waiting: TrackedUpdate[] = [];
  #sending: Promise<void> | undefined;

  constructor(send: SendUpdate) {
    this.#send = send;
  }

  /** Leaves immediately when nothing is on its way. */
  push(update: TrackedUpdate): void {
    if (this.#sending !== undefined) {
      const last = this.#waiting.at(-1);
      if (last === undefined || !merge(last, update)) this.#waiting.push(update);
      return;
    }
    const taken = this.#send(update);
    if (taken !== undefined) this.#sending = this.#drain(taken);
  }

  /** Resolves when everything pushed so far has been taken. */
  async idle(): Promise<void> {
    await this.#sending;
  }

  async #drain(taken: Promise<void>): Promise<void> {
    await taken;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#send(next);
    this.#sending = undefined;
  }
}

/** Puts `next` into `last` where no step of the lifecycle is lost by it. Each field replaces the whole field, as in ACP. */
function merge(last: TrackedUpdate, next: TrackedUpdate): boolean {
  const same =
    (last.sessionUpdate === "plan" && next.sessionUpdate === "plan") ||
    (last.sessionUpdate === "tool_call_update" &&
      next.sessionUpdate === "tool_call_update" &&
      !last.status &&
      !next.status);
  if (same) Object.assign(last, next);
  return same;
}
