// Lists permissions and elicitations: those of a thread by place, or without a thread those of all threads, the oldest first; and both
// kinds together, as far as they wait for a person.
import type { DatabaseSync } from "node:sqlite";
import {
  type ElicitationRow,
  elicitationColumns,
  type PermissionRow,
  permissionColumns,
  type QueryArgs,
  type QuestionRow,
  rowReader,
} from "@signalbox/protocol";
import { type Row, text, textOrNull } from "../database/row.ts";
import { chooseLimit, parseCursor, toCursor } from "./arguments.ts";
import { cutPage, readSeqRange, SeqTable } from "./seq-pages.ts";
import type { Page, ThreadList } from "./thread-list.ts";

/** Finds the questions of all threads that have a status, the oldest first, from a place on. */
function everywhere(database: DatabaseSync, table: string, id: string, status: string) {
  return database.prepare(
    `SELECT q.*, t.title AS thread_title, t.agent_id, t.cwd, c.title AS title
     FROM ${table} AS q JOIN threads AS t ON t.id = q.thread_id
       LEFT JOIN tool_calls AS c ON c.thread_id = q.thread_id AND c.tool_call_id = q.tool_call_id
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
    const range = readSeqRange(args);
    const { items, nextCursor } = cutPage(withStatus.read(thread_id, range, status).map(read), range);
    return nextCursor === undefined ? { rows: items } : { rows: items, next_cursor: nextCursor };
  };
}

/** Everything that waits for a person. */
export function questionsQuery(database: DatabaseSync) {
  const permissions = everywhere(database, "permissions", "permission_id", "'pending'");
  const elicitations = everywhere(database, "elicitations", "elicitation_id", "'pending'");
  const readPermission = rowReader(permissionColumns);
  const readElicitation = rowReader(elicitationColumns);
  return (args: QueryArgs<"questions.list">): Page<QuestionRow> =>
    oldestFirst(
      args,
      (...at) =>
        [
          ...permissions
            .all(...at)
            .map((row) => ({ type: "permission" as const, ...readPermission(row), ...about(row) })),
          ...elicitations
            .all(...at)
            .map((row) => ({ type: "elicitation" as const, ...readElicitation(row), ...about(row) })),
        ].toSorted((a, b) => a.created_at - b.created_at || (questionId(a) < questionId(b) ? -1 : 1)),
      questionId,
    );
}

function questionId(row: QuestionRow): string {
  return row.type === "permission" ? row.permission_id : row.elicitation_id;
}

function about(row: Row): Pick<QuestionRow, "thread_title" | "agent_id" | "cwd" | "title"> {
  return {
    thread_title: textOrNull(row, "thread_title"),
    agent_id: text(row, "agent_id"),
    cwd: text(row, "cwd"),
    title: textOrNull(row, "title"),
  };
}

function oldestFirst<Item extends { readonly created_at: number }>(
  args: Pick<QueryArgs<"permissions.list">, "limit" | "cursor">,
  find: (createdAt: string | number, id: string | number, limit: number) => Item[],
  idOf: (row: Item) => string,
): Page<Item> {
  const limit = chooseLimit(args);
  const [createdAt = -1, id = ""] = parseCursor(args) ?? [];
  const found = find(createdAt, id, limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (found.length <= limit || last === undefined) return { rows };
  return { rows, next_cursor: toCursor([last.created_at, idOf(last)]) };
}
