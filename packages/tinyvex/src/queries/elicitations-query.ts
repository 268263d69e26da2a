// Questions that want more than yes or no: of one thread, by place; or of all threads, the oldest first. Of all threads, unless a status is
// named, those that wait for an answer.
import type { DatabaseSync } from "node:sqlite";
import type { ElicitationRow, ElicitationStatus, QueryArgs } from "@signalbox/protocol";
import { cursorOf, limitOf, toCursor } from "./arguments.ts";
import { toElicitationRow } from "./rows.ts";
import { pageOf, SeqTable, seqRangeOf } from "./seq-pages.ts";

const STATUSES: readonly ElicitationStatus[] = ["pending", "accepted", "declined", "cancelled"];

export function elicitationsQuery(database: DatabaseSync) {
  const all = new SeqTable(database, "elicitations");
  const byStatus = new Map(
    STATUSES.map((status) => [status, new SeqTable(database, "elicitations", `status = '${status}'`)]),
  );
  const everywhere = database.prepare(
    `SELECT e.* FROM elicitations AS e JOIN threads AS t ON t.id = e.thread_id AND t.deleting = 0
     WHERE e.status = ? AND (e.created_at, e.elicitation_id) > (?, ?) ORDER BY e.created_at, e.elicitation_id LIMIT ?`,
  );
  return (args: QueryArgs<"elicitations.list">): { rows: readonly ElicitationRow[]; next_cursor?: string } => {
    const { thread_id: threadId, status } = args;
    if (threadId !== undefined && threadId !== null) {
      const range = seqRangeOf(args);
      const table = (status === undefined || status === null ? undefined : byStatus.get(status)) ?? all;
      const { items, nextCursor } = pageOf(table.read(threadId, range).map(toElicitationRow), range);
      return nextCursor === undefined ? { rows: items } : { rows: items, next_cursor: nextCursor };
    }
    const limit = limitOf(args);
    const [createdAt = -1, id = ""] = cursorOf(args) ?? [];
    const found = everywhere.all(status ?? "pending", createdAt, id, limit + 1).map(toElicitationRow);
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    if (found.length <= limit || last === undefined) return { rows };
    return { rows, next_cursor: toCursor([last.created_at, last.elicitation_id]) };
  };
}
