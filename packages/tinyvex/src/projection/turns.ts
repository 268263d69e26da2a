// Turns: queued, edited or taken out of the queue, run, and ended exactly once.
import type { DatabaseSync } from "node:sqlite";
import type { Change, ContentBlock, JsonObject } from "@signalbox/protocol";
import { jsonArray, text } from "../database/row.ts";
import { toBlocks, toTurnRow } from "../queries/rows.ts";
import type { LoggedEvent } from "./event.ts";
import type { ThreadState } from "./thread-state.ts";
import { Touched } from "./touched.ts";

export type TurnEnd =
  | { readonly status: "ended"; readonly stopReason: string; readonly usage: JsonObject | null }
  | { readonly status: "failed" | "interrupted"; readonly error: JsonObject };

export class Turns {
  readonly #statements;
  readonly #touched = new Touched();

  constructor(database: DatabaseSync) {
    this.#statements = {
      find: database.prepare("SELECT * FROM turns WHERE thread_id = ? AND turn_id = ?"),
      running: database.prepare("SELECT turn_id FROM turns WHERE thread_id = ? AND status = 'running'"),
      insert: database.prepare(
        `INSERT OR IGNORE INTO turns(thread_id, turn_id, prompt_id, seq, last_seq, status, prompt_json, queued_at)
         VALUES (?, ?, ?, ?, ?, 'queued', ?, ?)`,
      ),
      edit: database.prepare(
        "UPDATE turns SET prompt_json = ?, last_seq = ? WHERE thread_id = ? AND turn_id = ? AND status = 'queued'",
      ),
      remove: database.prepare("DELETE FROM turns WHERE thread_id = ? AND turn_id = ? AND status = 'queued'"),
      start: database.prepare(
        `UPDATE turns SET status = 'running', started_at = ?, last_seq = ?, prompt_json = '[]'
         WHERE thread_id = ? AND turn_id = ? AND status = 'queued'`,
      ),
      end: database.prepare(
        `UPDATE turns SET status = ?, stop_reason = ?, error_json = ?, usage_json = ?, ended_at = ?, last_seq = ?, prompt_json = '[]'
         WHERE thread_id = ? AND turn_id = ? AND status IN ('queued', 'running')`,
      ),
    };
  }

  running(threadId: string): Set<string> {
    return new Set(this.#statements.running.all(threadId).map((row) => text(row, "turn_id")));
  }

  queue(event: LoggedEvent, turnId: string, promptId: string, prompt: readonly ContentBlock[]): void {
    const { threadId, seq, ts } = event;
    this.#statements.insert.run(threadId, turnId, promptId, seq, seq, JSON.stringify(prompt), ts);
    this.#touched.add(threadId, turnId);
  }

  edit(event: LoggedEvent, turnId: string, prompt: readonly ContentBlock[]): void {
    this.#statements.edit.run(JSON.stringify(prompt), event.seq, event.threadId, turnId);
    this.#touched.add(event.threadId, turnId);
  }

  remove(event: LoggedEvent, turnId: string, changes: Change[]): void {
    const { threadId, seq } = event;
    if (this.#statements.remove.run(threadId, turnId).changes === 0) return;
    this.#touched.delete(threadId, turnId);
    changes.push({ type: "tinyvex.update", stream: "turns", thread_id: threadId, seq, removed: turnId });
  }

  /** Gives the prompt of a turn that begins to run, or null when it does not wait to. */
  start(state: ThreadState, event: LoggedEvent, turnId: string): readonly ContentBlock[] | null {
    const { threadId, seq, ts } = event;
    const row = this.#statements.find.get(threadId, turnId);
    if (row === undefined || row["status"] !== "queued") return null;
    this.#statements.start.run(ts, seq, threadId, turnId);
    state.runningTurns.add(turnId);
    this.#touched.add(threadId, turnId);
    return toBlocks(jsonArray(row, "prompt_json"));
  }

  /** False when the turn had ended before: it ends once. */
  end(state: ThreadState, event: LoggedEvent, turnId: string, end: TurnEnd): boolean {
    const { threadId, seq, ts } = event;
    const stopReason = end.status === "ended" ? end.stopReason : null;
    const error = end.status === "ended" ? null : JSON.stringify(end.error);
    const usage = end.status === "ended" && end.usage !== null ? JSON.stringify(end.usage) : null;
    const { changes } = this.#statements.end.run(end.status, stopReason, error, usage, ts, seq, threadId, turnId);
    if (changes === 0) return false;
    state.runningTurns.delete(turnId);
    this.#touched.add(threadId, turnId);
    return true;
  }

  flush(state: ThreadState, changes: Change[]): void {
    const threadId = state.record.id;
    for (const turnId of this.#touched.take(threadId)) {
      const found = this.#statements.find.get(threadId, turnId);
      if (found === undefined) continue;
      const row = toTurnRow(found);
      changes.push({ type: "tinyvex.update", stream: "turns", thread_id: threadId, seq: row.last_seq, row });
    }
  }

  /** Forgets what changed: the window was not stored. */
  reset(): void {
    this.#touched.clear();
  }
}
