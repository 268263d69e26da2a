// `tool_calls.list`: of a thread by place, or without a thread those of all threads that the filters allow, the newest first.
import type { DatabaseSync } from "node:sqlite";
import type { ListedToolCallRow, QueryArgs, ToolCallRow } from "@signalbox/protocol";
import { integer, text, textOrNull } from "../database/row.ts";
import { badCursor, chooseLimit, parseCursor, toCursor } from "./arguments.ts";
import { readToolCall } from "./rows.ts";
import type { Page, ThreadList } from "./thread-list.ts";

/** One statement for all filters: what is not filtered by is NULL. */
const newestSql = `SELECT c.*, c.rowid AS id, t.title AS thread_title, t.agent_id, t.cwd FROM tool_calls AS c INDEXED BY tool_calls_by_time
    CROSS JOIN threads AS t ON t.id = c.thread_id
  WHERE (c.created_at, c.rowid) < (:before, :beforeId) AND c.created_at >= :since
    AND (:name IS NULL OR c.name = :name) AND (:kind IS NULL OR c.kind = :kind) AND (:status IS NULL OR c.status = :status)
    AND (:agent IS NULL OR t.agent_id = :agent) AND (:cwd IS NULL OR t.cwd = :cwd)
  ORDER BY c.created_at DESC, c.rowid DESC LIMIT :limit`;

export function toolCallsQuery(database: DatabaseSync, ofThread: ThreadList<ToolCallRow>) {
  const newest = database.prepare(newestSql);
  return (args: QueryArgs<"tool_calls.list">): Page<ListedToolCallRow> => {
    const { thread_id } = args;
    if (thread_id !== undefined && thread_id !== null) return ofThread.page({ ...args, thread_id });
    const limit = chooseLimit(args);
    const [createdAt, id] = parseCursor(args) ?? [args.until ?? Number.MAX_SAFE_INTEGER, 0];
    if (typeof createdAt !== "number" || typeof id !== "number") throw badCursor();
    const found = newest.all({
      before: createdAt,
      beforeId: id,
      since: args.since ?? 0,
      name: args.name ?? null,
      kind: args.kind ?? null,
      status: args.status ?? null,
      agent: args.agent_id ?? null,
      cwd: args.cwd ?? null,
      limit: limit + 1,
    });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const rows = page.map((row) => ({
      ...readToolCall(row),
      thread_title: textOrNull(row, "thread_title"),
      agent_id: text(row, "agent_id"),
      cwd: text(row, "cwd"),
    }));
    if (found.length <= limit || last === undefined) return { rows };
    return { rows, next_cursor: toCursor([integer(last, "created_at"), integer(last, "id")]) };
  };
}
