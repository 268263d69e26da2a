// Builds the entries of one imported session: turns and updates, in order and with their times. Each entry has a number, by which a later
// import finds what is already there.
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { ContentBlock, Fact, JsonObject, StopReason } from "@signalbox/protocol";
import type { HistoryEntry } from "./history.ts";

/** In `_meta` of an update and `meta` of a fact: the number of the entry within its import. */
export const importMark = "signalbox/import";

export class HistoryBuilder {
  readonly #sessionId: string;
  #entries: HistoryEntry[] = [];
  #count = 0;
  #turnId: string | null = null;
  #at: number;

  constructor(sessionId: string, startedAt: number) {
    this.#sessionId = sessionId;
    this.#at = startedAt;
    this.#fact({ type: "session_started", session_id: sessionId });
  }

  get count(): number {
    return this.#count;
  }

  get isInTurn(): boolean {
    return this.#turnId !== null;
  }

  /** What was built since the last time. */
  takeEntries(): readonly HistoryEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  /** Time goes on, never back: lines are in the order in which things happened, whatever their clocks say. */
  moveTo(at: number | null): void {
    if (at !== null && at > this.#at) this.#at = at;
  }

  /** Begins a turn. The one before it must have ended: when its last entry came, not now. */
  prompt(at: number | null, prompt: readonly ContentBlock[]): void {
    this.moveTo(at);
    const turnId = `import-${this.#count}`;
    this.#fact({ type: "turn_queued", turn_id: turnId, prompt_id: turnId, prompt });
    this.#fact({ type: "turn_started", turn_id: turnId });
    this.#turnId = turnId;
  }

  update(update: { readonly sessionUpdate: SessionUpdate["sessionUpdate"]; readonly [field: string]: unknown }): void {
    const params = { sessionId: this.#sessionId, update, _meta: { [importMark]: this.#count++ } };
    this.#entries.push({ type: "update", params, at: this.#at });
  }

  text(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", text: string): void {
    if (text.trim() === "") return;
    // A message of its own: it must not grow together with the one before it.
    const messageId = `import-${this.#count}`;
    this.update({ sessionUpdate, messageId, content: { type: "text", text } });
  }

  /** Something that no screen shows and the log keeps. */
  notification(method: string, params: JsonObject): void {
    const marked = { ...params, _meta: { [importMark]: this.#count++ } };
    this.#entries.push({ type: "notification", method, params: marked, at: this.#at });
  }

  endTurn(stopReason: StopReason, usage: JsonObject | null): void {
    const turnId = this.#turnId;
    if (turnId === null) return;
    this.#turnId = null;
    this.#fact({ type: "turn_ended", turn_id: turnId, stop_reason: stopReason, ...(usage === null ? {} : { usage }) });
  }

  failTurn(message: string): void {
    const turnId = this.#turnId;
    if (turnId === null) return;
    this.#turnId = null;
    this.#fact({ type: "turn_failed", turn_id: turnId, error: { code: "agent_failed", message } });
  }

  /** Closes the open turn because no more is known of it. It has no number: a later import may know more. */
  close(usage: JsonObject | null): readonly HistoryEntry[] {
    const turnId = this.#turnId;
    if (turnId === null) return [];
    const end = {
      type: "turn_ended",
      turn_id: turnId,
      stop_reason: "end_turn",
      ...(usage === null ? {} : { usage }),
    } as const;
    return [{ type: "fact", fact: end, at: this.#at }];
  }

  #fact(fact: Fact): void {
    const marked: Fact = { ...fact, meta: { [importMark]: this.#count++ } };
    this.#entries.push({ type: "fact", fact: marked, at: this.#at });
  }
}
