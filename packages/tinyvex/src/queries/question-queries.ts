// Lists permissions and elicitations: those of a thread by place, or without a thread those of all threads, the oldest first.
import type { DatabaseSync } from "node:sqlite";
import {
  type ElicitationRow,
  elicitationColumns,
  type PermissionRow,
  permissionColumns,
  type QueryArgs,
} from "@signalbox/protocol";
import { rowReader } from "../database/table.ts";
import { cursorOf, limitOf, toCursor } from "./arguments.ts";
import { pageOf, SeqTable, seqRangeOf } from "./seq-pages.ts";
import type { Page, ThreadList } from "./thread-list.ts";

/** Finds the questions of all threads that have a status, the oldest first, from a place on. */
function everywhere(database: DatabaseSync, table: string, id: string, status: string) {
  return database.prepare(
    `SELECT q.* FROM ${table} AS q JOIN threads AS t ON t.id = q.thread_id AND t.deleting = 0
     WHERE q.status = ${status} AND (q.created_at, q.${id}) > (?, ?) ORDER BY q.created_at, q.${id} LIMIT ?`,
  );
}

/** Without a thread: all that wait for an answer. */
export function permissionsQuery(database: DatabaseSync, ofThread: ThreadList<PermissionRow>) {
  const pending = everywhere(database, "permissions", "permission_id", "'pending'");
  const read = rowReader(permissionColumns);
  return (args: QueryArgs<"permissions.list">): Page<PermissionRow> => {
    const { thread_id } = args;
    if (thread_id !== undefined && thread_id !== null) return ofThread.page({ ...args, thread_id });
    return oldestFirst(
      args,
      (...at) => pending.all(...at).map(read),
      ({ permission_id }) => permission_id,
    );
  };
}

/** Without a thread: those that wait for an answer, unless another status is named. */
export function elicitationsQuery(database: DatabaseSync, ofThread: ThreadList<ElicitationRow>) {
  const withStatus = new SeqTable(database, "elicitations", "status = ?");
  const inAllThreads = everywhere(database, "elicitations", "elicitation_id", "?");
  const read = rowReader(elicitationColumns);
  return (args: QueryArgs<"elicitations.list">): Page<ElicitationRow> => {
    const { thread_id, status } = args;
    if (thread_id === undefined || thread_id === null) {
      const wanted = status ?? "pending";
      return oldestFirst(
        args,
        (...at) => inAllThreads.all(wanted, ...at).map(read),
        (row) => row.elicitation_id,
      );
    }
    if (status === undefined || status === null) return ofThread.page({ ...args, thread_id });
    const range = seqRangeOf(args);
    const { items, nextCursor } = pageOf(withStatus.read(thread_id, range, status).map(read), range);
    return nextCursor === undefined ? { rows: items } : { rows: items, next_cursor: nextCursor };
  };
}

function oldestFirst<Item extends { readonly created_at: number }>(
  args: Pick<QueryArgs<"permissions.list">, "limit" | "cursor">,
  find: (createdAt: string | number, id: string | number, limit: number) => Item[],
  idOf: (row: Item) => string,
): Page<Item> {
  const limit = limitOf(args);
  const [createdAt = -1, id = ""] = cursorOf(args) ?? [];
  const found = find(createdAt, id, limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (found.length <= limit || last === undefined) return { rows };
  return { rows, next_cursor: toCursor([last.created_at, idOf(last)]) };
}
