// Turns: queued, edited or taken out of the queue, run, and ended exactly once.
import type { DatabaseSync } from "node:sqlite";
import type { Change, ContentBlock, JsonObject } from "@signalbox/protocol";
import { integer, text } from "../database/row.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { toTurnRow } from "../queries/rows.ts";
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
        `INSERT OR IGNORE INTO turns(thread_id, turn_id, prompt_id, seq, last_seq, status, prompt_json, prompt_seq, queued_at)
         VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?)`,
      ),
      edit: database.prepare(
        "UPDATE turns SET prompt_json = ?, prompt_seq = ?, last_seq = ? WHERE thread_id = ? AND turn_id = ? AND status = 'queued'",
      ),
      remove: database.prepare("DELETE FROM turns WHERE thread_id = ? AND turn_id = ? AND status = 'queued'"),
      last: database.prepare(
        "SELECT turn_id FROM turns WHERE thread_id = ? AND started_at IS NOT NULL ORDER BY seq DESC LIMIT 1",
      ),
      spend: database.prepare(
        "UPDATE turns SET cost = coalesce(cost, 0) + ?, currency = ?, last_seq = ? WHERE thread_id = ? AND turn_id = ?",
      ),
      start: database.prepare(
        `UPDATE turns SET status = 'running', started_at = ?, last_seq = ?, prompt_json = '[]'
         WHERE thread_id = ? AND turn_id = ? AND status = 'queued'`,
      ),
      end: database.prepare(
        `UPDATE turns SET status = ?, stop_reason = ?, error = ?, usage_json = ?, input_tokens = ?, output_tokens = ?,
           total_tokens = ?, ended_at = ?, last_seq = ?, prompt_json = '[]'
         WHERE thread_id = ? AND turn_id = ? AND status IN ('queued', 'running')`,
      ),
    };
  }

  running(threadId: string): Set<string> {
    return new Set(this.#statements.running.all(threadId).map((row) => text(row, "turn_id")));
  }

  queue(event: LoggedEvent, turnId: string, promptId: string, prompt: readonly ContentBlock[]): void {
    const { threadId, seq, ts } = event;
    this.#statements.insert.run(threadId, turnId, promptId, seq, seq, JSON.stringify(prompt), seq, ts);
    this.#touched.add(threadId, turnId);
  }

  edit(event: LoggedEvent, turnId: string, prompt: readonly ContentBlock[]): void {
    this.#statements.edit.run(JSON.stringify(prompt), event.seq, event.seq, event.threadId, turnId);
    this.#touched.add(event.threadId, turnId);
  }

  remove(event: LoggedEvent, turnId: string, changes: Change[]): void {
    const { threadId, seq } = event;
    if (this.#statements.remove.run(threadId, turnId).changes === 0) return;
    this.#touched.delete(threadId, turnId);
    changes.push({ type: "tinyvex.update", stream: "turns", thread_id: threadId, seq, removed: turnId });
  }

  /** Gives the `seq` of the event that has the prompt of a turn that begins to run, or null when it does not wait to. */
  start(state: ThreadState, event: LoggedEvent, turnId: string): number | null {
    const { threadId, seq, ts } = event;
    // A turn that never waited has no prompt to show, but it runs all the same.
    this.#statements.insert.run(threadId, turnId, "", seq, seq, "[]", seq, ts);
    const row = this.#statements.find.get(threadId, turnId);
    if (row === undefined || row["status"] !== "queued") return null;
    this.#statements.start.run(ts, seq, threadId, turnId);
    state.runningTurns.add(turnId);
    this.#touched.add(threadId, turnId);
    return integer(row, "prompt_seq");
  }

  /** False when the turn had ended before: it ends once. */
  end(state: ThreadState, event: LoggedEvent, turnId: string, end: TurnEnd): boolean {
    const { threadId, seq, ts } = event;
    const stopReason = end.status === "ended" ? end.stopReason : null;
    const error = end.status === "ended" ? null : JSON.stringify(end.error);
    const usage = end.status === "ended" ? end.usage : null;
    const usageJson = usage === null ? null : JSON.stringify(usage);
    const tokens = [tokensOf(usage, "inputTokens"), tokensOf(usage, "outputTokens"), tokensOf(usage, "totalTokens")];
    const values = [end.status, stopReason, error, usageJson, ...tokens, ts, seq, threadId, turnId];
    const { changes } = this.#statements.end.run(...values);
    if (changes === 0) return false;
    state.runningTurns.delete(turnId);
    this.#touched.add(threadId, turnId);
    return true;
  }

  /** Money that was spent since it was last told: it belongs to the turn that runs, or to the last that ran. */
  addCost(event: LoggedEvent, amount: number, currency: string): void {
    const { threadId, seq } = event;
    const row = this.#statements.last.get(threadId);
    if (row === undefined) return;
    const turnId = text(row, "turn_id");
    this.#statements.spend.run(amount, currency, seq, threadId, turnId);
    this.#touched.add(threadId, turnId);
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

function tokensOf(usage: JsonObject | null, name: string): number | null {
  const value = usage?.[name];
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}
