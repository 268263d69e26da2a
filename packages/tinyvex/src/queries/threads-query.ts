// `threads.list`: the most recently active first. Counts are kept in the row, so that a page costs its length.
import type { DatabaseSync } from "node:sqlite";
import type { JsonObject, ThreadSummaryRow } from "@signalbox/protocol";
import type { Row } from "../database/row.ts";
import { readThreadRecord, toThreadRow } from "../projection/thread-state.ts";
import { bad, booleanOf, cursorOf, limitOf, stringOf, toCursor } from "./arguments.ts";

export class ThreadsQuery {
  readonly #page;

  constructor(database: DatabaseSync) {
    this.#page = database.prepare(
      `SELECT * FROM threads
       WHERE deleting = 0 AND archived = $archived AND (updated_at, id) < ($updated_at, $id)
         AND ($agent_id IS NULL OR agent_id = $agent_id) AND ($cwd IS NULL OR cwd = $cwd)
         AND ($project_id IS NULL OR project_id = $project_id) AND ($status IS NULL OR status = $status)
       ORDER BY updated_at DESC, id DESC LIMIT $limit`,
    );
  }

  list(args: JsonObject): { readonly rows: readonly ThreadSummaryRow[]; readonly next_cursor?: string } {
    const limit = limitOf(args);
    const [updatedAt, id] = cursorOf(args) ?? [Number.MAX_SAFE_INTEGER, ""];
    if (typeof updatedAt !== "number" || typeof id !== "string")
      throw bad("cursor", "the next_cursor of an earlier answer");
    const rows = this.#page
      .all({
        $archived: booleanOf(args, "archived") === true ? 1 : 0,
        $updated_at: updatedAt,
        $id: id,
        $agent_id: stringOf(args, "agent_id"),
        $cwd: stringOf(args, "cwd"),
        $project_id: stringOf(args, "project_id"),
        $status: stringOf(args, "status"),
        $limit: limit + 1,
      })
      .map(toSummary);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    if (rows.length <= limit || last === undefined) return { rows: page };
    return { rows: page, next_cursor: toCursor([last.updated_at, last.id]) };
  }
}

function toSummary(row: Row): ThreadSummaryRow {
  const record = readThreadRecord(row);
  const { message_count, tool_call_count } = record;
  return { ...toThreadRow(record), message_count, tool_call_count };
}
