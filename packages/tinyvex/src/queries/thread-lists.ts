// Opens the lists of a thread by name: those beside its timeline, and the two that make the timeline.
import type { DatabaseSync } from "node:sqlite";
import {
  rowReader,
  type ThreadListName,
  type ThreadLists,
  threadListColumns,
  threadListNames,
} from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import type { Row } from "../database/row.ts";
import { toMessageRow } from "./message-rows.ts";
import { readToolCall, readTurn } from "./rows.ts";
import { toTerminalRow } from "./terminal-rows.ts";
import { ThreadList } from "./thread-list.ts";

type Lists = { readonly [Name in ThreadListName]: ThreadList<ThreadLists[Name]> };

export function listsBesideTimeline(database: DatabaseSync, blobs: BlobReader): Lists {
  /** Rows that are not just their columns. */
  const computed: { readonly [Name in ThreadListName]?: (row: Row) => ThreadLists[Name] } = {
    turns: readTurn,
    terminals: (row) => toTerminalRow(row, blobs),
  };
  const list = (name: ThreadListName) =>
    new ThreadList<{ readonly seq: number }>(database, name, computed[name] ?? rowReader(threadListColumns[name]));
  // A list is read from the table of its own name.
  return Object.fromEntries(threadListNames.map((name) => [name, list(name)])) as Lists;
}

export function timelineLists(database: DatabaseSync, blobs: BlobReader) {
  return {
    messages: new ThreadList(database, "messages", (row) => toMessageRow(row, blobs)),
    prompts: new ThreadList(database, "messages", (row) => toMessageRow(row, blobs), "role = 'user'"),
    toolCalls: new ThreadList(database, "tool_calls", readToolCall),
  };
}
