// The plain lists: messages, tool calls, turns, permissions, terminals, and the two single rows of a thread.
import type { DatabaseSync } from "node:sqlite";
import type { PermissionRow, QueryArgs, TurnRow } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import type { Row } from "../database/row.ts";
import { toToolCallRow } from "../projection/tool-call.ts";
import { readToolCall } from "../projection/tool-call-rows.ts";
import { limitOf } from "./arguments.ts";
import { toMessageRow } from "./message-rows.ts";
import { toPermissionRow, toPlanRow, toStateRow, toTurnRow } from "./rows.ts";
import { pageOf, type SeqPageArgs, SeqTable, seqRangeOf } from "./seq-pages.ts";
import { toTerminalRow } from "./terminal-rows.ts";

interface Page<Item> {
  readonly rows: readonly Item[];
  readonly next_cursor?: string;
}

interface OfThread {
  readonly thread_id: string;
}

export function listQueries(database: DatabaseSync, blobs: BlobReader) {
  const plan = database.prepare("SELECT * FROM plans WHERE thread_id = ?");
  const state = database.prepare("SELECT * FROM thread_state WHERE thread_id = ?");
  const byPrompt = database.prepare("SELECT * FROM turns WHERE thread_id = ? AND prompt_id = ?");
  const pending =
    database.prepare(`SELECT p.* FROM permissions AS p JOIN threads AS t ON t.id = p.thread_id AND t.deleting = 0
     WHERE p.status = 'pending' ORDER BY p.created_at LIMIT ?`);
  const turns = bySeq(database, "turns", toTurnRow);
  const permissions = bySeq(database, "permissions", toPermissionRow);
  return {
    messages: bySeq(database, "messages", (row) => toMessageRow(row, blobs)),
    toolCalls: bySeq(database, "tool_calls", (row) => toToolCallRow(readToolCall(row))),
    terminals: bySeq(database, "terminals", (row) => toTerminalRow(row, blobs)),
    turns: (args: QueryArgs<"turns.list">): Page<TurnRow> => {
      const { thread_id, prompt_id: promptId } = args;
      if (promptId === undefined || promptId === null) return turns(args);
      return { rows: byPrompt.all(thread_id, promptId).map(toTurnRow) };
    },
    permissions: (args: QueryArgs<"permissions.list">): Page<PermissionRow> => {
      const { thread_id } = args;
      return thread_id === undefined || thread_id === null
        ? { rows: pending.all(limitOf(args)).map(toPermissionRow) }
        : permissions({ ...args, thread_id });
    },
    plan: ({ thread_id }: OfThread) => ({ rows: plan.all(thread_id).map(toPlanRow) }),
    state: ({ thread_id }: OfThread) => ({ rows: state.all(thread_id).map(toStateRow) }),
  };
}

function bySeq<Item extends { readonly seq: number }>(
  database: DatabaseSync,
  table: string,
  toItem: (row: Row) => Item,
): (args: OfThread & SeqPageArgs) => Page<Item> {
  const rows = new SeqTable(database, table);
  return (args) => {
    const range = seqRangeOf(args);
    const { items, nextCursor } = pageOf(rows.read(args.thread_id, range).map(toItem), range);
    return nextCursor === undefined ? { rows: items } : { rows: items, next_cursor: nextCursor };
  };
}
