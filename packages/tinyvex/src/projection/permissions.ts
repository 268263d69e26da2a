// Questions to a person and what became of them. One that nobody can answer any more is cancelled, which means no.
import type { DatabaseSync } from "node:sqlite";
import type { Change, JsonObject, PermissionStatus } from "@signalbox/protocol";
import { integer, text, textOrNull } from "../database/row.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { toPermissionRow } from "../queries/rows.ts";
import type { ThreadState } from "./thread-state.ts";
import { Touched } from "./touched.ts";

export interface Decision {
  readonly status: Exclude<PermissionStatus, "pending">;
  readonly optionId: string | null;
  readonly decidedBy: string | null;
  readonly rule: string | null;
}

export class Permissions {
  readonly #statements;
  readonly #touched = new Touched();

  constructor(database: DatabaseSync) {
    this.#statements = {
      find: database.prepare("SELECT * FROM permissions WHERE thread_id = ? AND permission_id = ?"),
      pending: database.prepare("SELECT permission_id FROM permissions WHERE thread_id = ? AND status = 'pending'"),
      countPending: database.prepare(
        "SELECT count(*) AS n FROM permissions WHERE thread_id = ? AND status = 'pending'",
      ),
      insert: database.prepare(
        `INSERT OR IGNORE INTO permissions(thread_id, permission_id, tool_call_id, seq, last_seq, options_json, rule_if_remembered,
         remember_scopes_json, status, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?)`,
      ),
      decide: database.prepare(
        `UPDATE permissions SET status = ?, option_id = ?, decided_by = ?, rule = ?, decided_at = ?, last_seq = ?
         WHERE thread_id = ? AND permission_id = ? AND status = 'pending'`,
      ),
    };
  }

  countPending(threadId: string): number {
    return integer(this.#statements.countPending.get(threadId) ?? { n: 0 }, "n");
  }

  ask(state: ThreadState, event: LoggedEvent, id: string, toolCallId: string | null, fact: JsonObject): void {
    const { threadId, seq, ts } = event;
    const options = JSON.stringify(fact.options ?? []);
    const rule = typeof fact.rule_if_remembered === "string" ? fact.rule_if_remembered : null;
    const scopes = JSON.stringify(fact.remember_scopes ?? []);
    const { changes } = this.#statements.insert.run(threadId, id, toolCallId, seq, seq, options, rule, scopes, ts);
    if (changes === 0) return;
    state.pendingPermissions++;
    this.#touched.add(threadId, id);
  }

  /** Gives the tool call that was asked about, or null when there is none or the question had been decided before. */
  decide(state: ThreadState, event: LoggedEvent, id: string, decision: Decision): string | null {
    const { threadId, seq, ts } = event;
    const { status, optionId, decidedBy, rule } = decision;
    const { changes } = this.#statements.decide.run(status, optionId, decidedBy, rule, ts, seq, threadId, id);
    if (changes === 0) return null;
    state.pendingPermissions--;
    this.#touched.add(threadId, id);
    const row = this.#statements.find.get(threadId, id);
    return row === undefined ? null : textOrNull(row, "tool_call_id");
  }

  cancelAll(state: ThreadState, event: LoggedEvent, decidedBy: string): void {
    if (state.pendingPermissions === 0) return;
    for (const row of this.#statements.pending.all(event.threadId)) {
      const decision = { status: "cancelled", optionId: null, decidedBy, rule: null } as const;
      this.decide(state, event, text(row, "permission_id"), decision);
    }
  }

  flush(state: ThreadState, changes: Change[]): void {
    const threadId = state.record.id;
    for (const id of this.#touched.take(threadId)) {
      const found = this.#statements.find.get(threadId, id);
      if (found === undefined) continue;
      const row = toPermissionRow(found);
      changes.push({ type: "tinyvex.update", stream: "permissions", thread_id: threadId, seq: row.last_seq, row });
    }
  }

  reset(): void {
    this.#touched.clear();
  }
}
