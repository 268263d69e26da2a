// Builds the entries of one imported session: turns and updates, in order and with their times. Each entry has a number, by which a later
// import finds what is already there.
import {
  type ContentBlock,
  type Fact,
  type JsonObject,
  makeChunk,
  readUpdate,
  type StopReason,
  type UpdateFields,
} from "@signalbox/protocol";
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
    this.#addFact({ type: "session_started", session_id: sessionId });
  }

  get count(): number {
    return this.#count;
  }

  get isInTurn(): boolean {
    return this.#turnId !== null;
  }

  /** Returns the entries that were built since the last call. */
  takeEntries(): readonly HistoryEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  /** Never moves back: lines are in the order in which things happened, even if a clock was set back in between. */
  advanceTime(at: number | null): void {
    if (at !== null && at > this.#at) this.#at = at;
  }

  /** The previous turn must have ended already, at the time of its last entry. */
  beginTurn(at: number | null, prompt: readonly ContentBlock[]): void {
    this.advanceTime(at);
    const turnId = `import-${this.#count}`;
    this.#addFact({ type: "turn_queued", turn_id: turnId, prompt_id: turnId, prompt });
    this.#addFact({ type: "turn_started", turn_id: turnId });
    this.#turnId = turnId;
  }

  addUpdate(fields: UpdateFields): void {
    const update = readUpdate({
      sessionId: this.#sessionId,
      update: fields,
      _meta: { [importMark]: this.#count++ },
    });
    this.#entries.push({ type: "update", update, at: this.#at });
  }

  addText(kind: "agent_message_chunk" | "agent_thought_chunk", text: string): void {
    if (text.trim() === "") return;
    // A message of its own: it must not grow together with the one before it.
    this.addUpdate(makeChunk(kind, { type: "text", text }, `import-${this.#count}`));
  }

  /** Adds something that the log keeps and no screen shows. */
  addNotification(method: string, params: JsonObject): void {
    const marked = { ...params, _meta: { [importMark]: this.#count++ } };
    this.#entries.push({ type: "notification", method, params: marked, at: this.#at });
  }

  endTurn(stopReason: StopReason, usage: JsonObject | null): void {
    const turnId = this.#turnId;
    if (turnId === null) return;
    this.#turnId = null;
    this.#addFact({
      type: "turn_ended",
      turn_id: turnId,
      stop_reason: stopReason,
      ...(usage === null ? {} : { usage }),
    });
  }

  failTurn(message: string): void {
    const turnId = this.#turnId;
    if (turnId === null) return;
    this.#turnId = null;
    this.#addFact({ type: "turn_failed", turn_id: turnId, error: { code: "agent_failed", message } });
  }

  /** Ends the open turn where the file ends. The entry has no number, because a later import may know how the turn went on. */
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

  #addFact(fact: Fact): void {
    const marked: Fact = { ...fact, meta: { [importMark]: this.#count++ } };
    this.#entries.push({ type: "fact", fact: marked, at: this.#at });
  }
}
