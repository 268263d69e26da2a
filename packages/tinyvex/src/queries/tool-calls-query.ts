// `tool_calls.list`: of a thread by place, or without a thread those of all threads, the newest first.
import type { DatabaseSync } from "node:sqlite";
import type { QueryArgs, ToolCallRow } from "@signalbox/protocol";
import { integer } from "../database/row.ts";
import { badCursor, cursorOf, limitOf, toCursor } from "./arguments.ts";
import { readToolCall } from "./rows.ts";
import type { Page, ThreadList } from "./thread-list.ts";

const newestSql = `SELECT c.* FROM tool_calls AS c INDEXED BY tool_calls_by_time
    CROSS JOIN threads AS t ON t.id = c.thread_id AND t.deleting = 0
  WHERE (c.created_at, c.id) < (?, ?) ORDER BY c.created_at DESC, c.id DESC LIMIT ?`;

export function toolCallsQuery(database: DatabaseSync, ofThread: ThreadList<ToolCallRow>) {
  const newest = database.prepare(newestSql);
  return (args: QueryArgs<"tool_calls.list">): Page<ToolCallRow> => {
    const { thread_id } = args;
    if (thread_id !== undefined && thread_id !== null) return ofThread.page({ ...args, thread_id });
    const limit = limitOf(args);
    const [createdAt, id] = cursorOf(args) ?? [Number.MAX_SAFE_INTEGER, 0];
    if (typeof createdAt !== "number" || typeof id !== "number") throw badCursor();
    const found = newest.all(createdAt, id, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const rows = page.map(readToolCall);
    if (found.length <= limit || last === undefined) return { rows };
    return { rows, next_cursor: toCursor([integer(last, "created_at"), integer(last, "id")]) };
  };
}
