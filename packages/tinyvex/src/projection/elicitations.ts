// Questions that want more than yes or no, and their answers. One that nobody can answer any more is cancelled.
import type { DatabaseSync } from "node:sqlite";
import type { Change, ElicitationMode, ElicitationStatus, Json } from "@signalbox/protocol";
import { integer, text } from "../database/row.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { toElicitationRow } from "../queries/rows.ts";
import type { ThreadState } from "./thread-state.ts";
import { Touched } from "./touched.ts";

export interface Elicitation {
  readonly mode: ElicitationMode;
  readonly message: string;
  readonly schema: Json;
  readonly url: string | null;
  readonly toolCallId: string | null;
}

export interface ElicitationAnswer {
  readonly status: Exclude<ElicitationStatus, "pending">;
  readonly content: Json;
  readonly decidedBy: string | null;
  readonly reason: string | null;
}

export class Elicitations {
  readonly #statements;
  readonly #touched = new Touched();

  constructor(database: DatabaseSync) {
    this.#statements = {
      find: database.prepare("SELECT * FROM elicitations WHERE thread_id = ? AND elicitation_id = ?"),
      pending: database.prepare("SELECT elicitation_id FROM elicitations WHERE thread_id = ? AND status = 'pending'"),
      countPending: database.prepare(
        "SELECT count(*) AS n FROM elicitations WHERE thread_id = ? AND status = 'pending'",
      ),
      insert: database.prepare(
        `INSERT OR IGNORE INTO elicitations(thread_id, elicitation_id, seq, last_seq, mode, message, schema_json, url, tool_call_id,
           status, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?)`,
      ),
      decide: database.prepare(
        `UPDATE elicitations SET status = ?, content_json = ?, decided_by = ?, reason = ?, decided_at = ?, last_seq = ?
         WHERE thread_id = ? AND elicitation_id = ? AND status = 'pending'`,
      ),
    };
  }

  countPending(threadId: string): number {
    return integer(this.#statements.countPending.get(threadId) ?? { n: 0 }, "n");
  }

  ask(state: ThreadState, event: LoggedEvent, id: string, asked: Elicitation): void {
    const { threadId, seq, ts } = event;
    const { mode, message, schema, url, toolCallId } = asked;
    const fields = [threadId, id, seq, seq, mode, message, textOf(schema), url, toolCallId, ts];
    if (this.#statements.insert.run(...fields).changes === 0) return;
    state.pendingElicitations++;
    this.#touched.add(threadId, id);
  }

  decide(state: ThreadState, event: LoggedEvent, id: string, answer: ElicitationAnswer): void {
    const { threadId, seq, ts } = event;
    const { status, content, decidedBy, reason } = answer;
    const fields = [status, textOf(content), decidedBy, reason, ts, seq, threadId, id];
    if (this.#statements.decide.run(...fields).changes === 0) return;
    state.pendingElicitations--;
    this.#touched.add(threadId, id);
  }

  cancelAll(state: ThreadState, event: LoggedEvent, reason: string): void {
    if (state.pendingElicitations === 0) return;
    for (const row of this.#statements.pending.all(event.threadId)) {
      const answer = { status: "cancelled", content: null, decidedBy: "turn_end", reason } as const;
      this.decide(state, event, text(row, "elicitation_id"), answer);
    }
  }

  flush(state: ThreadState, changes: Change[]): void {
    const threadId = state.record.id;
    for (const id of this.#touched.take(threadId)) {
      const found = this.#statements.find.get(threadId, id);
      if (found === undefined) continue;
      const row = toElicitationRow(found);
      changes.push({ type: "tinyvex.update", stream: "elicitations", thread_id: threadId, seq: row.last_seq, row });
    }
  }

  reset(): void {
    this.#touched.clear();
  }
}

function textOf(value: Json): string | null {
  return value === null ? null : JSON.stringify(value);
}
