// The plain lists: messages, tool calls, turns, questions, terminals, projects, and the two single rows of a thread.
import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import type { Row } from "../database/row.ts";
import { toToolCallRow } from "../projection/tool-call.ts";
import { readToolCall } from "../projection/tool-call-rows.ts";
import { limitOf, stringOf, threadIdOf } from "./arguments.ts";
import { elicitationsQuery } from "./elicitations-query.ts";
import { toMessageRow } from "./message-rows.ts";
import { toPermissionRow, toPlanRow, toProjectRow, toStateRow, toTurnRow } from "./rows.ts";
import { pageOf, SeqTable, seqRangeOf } from "./seq-pages.ts";
import { toTerminalRow } from "./terminal-rows.ts";

interface Page {
  readonly rows: readonly object[];
  readonly next_cursor?: string;
}

export function listQueries(database: DatabaseSync, blobs: BlobReader) {
  const plan = database.prepare("SELECT * FROM plans WHERE thread_id = ?");
  const state = database.prepare("SELECT * FROM thread_state WHERE thread_id = ?");
  const byPrompt = database.prepare("SELECT * FROM turns WHERE thread_id = ? AND prompt_id = ?");
  const pending =
    database.prepare(`SELECT p.* FROM permissions AS p JOIN threads AS t ON t.id = p.thread_id AND t.deleting = 0
     WHERE p.status = 'pending' ORDER BY p.created_at LIMIT ?`);
  const projects = database.prepare("SELECT * FROM projects ORDER BY name, id LIMIT ?");
  const turns = bySeq(database, "turns", toTurnRow);
  const permissions = bySeq(database, "permissions", toPermissionRow);
  return {
    "messages.list": bySeq(database, "messages", (row) => toMessageRow(row, blobs)),
    "tool_calls.list": bySeq(database, "tool_calls", (row) => toToolCallRow(readToolCall(row))),
    "terminals.list": bySeq(database, "terminals", (row) => toTerminalRow(row, blobs)),
    "turns.list": (args: JsonObject): Page => {
      const promptId = stringOf(args, "prompt_id");
      if (promptId === null) return turns(args);
      return { rows: byPrompt.all(threadIdOf(args), promptId).map(toTurnRow) };
    },
    // Without a thread: every question that waits for an answer, wherever it was asked.
    "permissions.list": (args: JsonObject): Page =>
      stringOf(args, "thread_id") === null
        ? { rows: pending.all(limitOf(args)).map(toPermissionRow) }
        : permissions(args),
    "elicitations.list": elicitationsQuery(database),
    "plan.get": (args: JsonObject): Page => ({ rows: plan.all(threadIdOf(args)).map(toPlanRow) }),
    "state.get": (args: JsonObject): Page => ({ rows: state.all(threadIdOf(args)).map(toStateRow) }),
    "projects.list": (args: JsonObject): Page => ({ rows: projects.all(limitOf(args)).map(toProjectRow) }),
  };
}

function bySeq(database: DatabaseSync, table: string, toRow: (row: Row) => { readonly seq: number }) {
  const rows = new SeqTable(database, table);
  return (args: JsonObject): Page => {
    const range = seqRangeOf(args);
    const { items, nextCursor } = pageOf(rows.read(threadIdOf(args), range).map(toRow), range);
    return nextCursor === undefined ? { rows: items } : { rows: items, next_cursor: nextCursor };
  };
}
