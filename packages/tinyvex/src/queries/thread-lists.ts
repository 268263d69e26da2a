// The lists of a thread, by name: those beside its timeline, and the two of which the timeline is made.
import type { DatabaseSync } from "node:sqlite";
import { elicitationColumns, permissionColumns, type ThreadListName, type ThreadLists } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { rowReader } from "../database/table.ts";
import { toMessageRow } from "./message-rows.ts";
import { readToolCall, readTurn } from "./rows.ts";
import { toTerminalRow } from "./terminal-rows.ts";
import { ThreadList } from "./thread-list.ts";

export function listsBesideTimeline(
  database: DatabaseSync,
  blobs: BlobReader,
): { readonly [Name in ThreadListName]: ThreadList<ThreadLists[Name]> } {
  return {
    turns: new ThreadList(database, "turns", readTurn),
    permissions: new ThreadList(database, "permissions", rowReader(permissionColumns)),
    elicitations: new ThreadList(database, "elicitations", rowReader(elicitationColumns)),
    terminals: new ThreadList(database, "terminals", (row) => toTerminalRow(row, blobs)),
  };
}

export function timelineLists(database: DatabaseSync, blobs: BlobReader) {
  return {
    messages: new ThreadList(database, "messages", (row) => toMessageRow(row, blobs)),
    toolCalls: new ThreadList(database, "tool_calls", readToolCall),
  };
}
