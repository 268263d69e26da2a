// `changed_files.list`, where a thread has no checkpoints: the files in the diffs of its completed tool calls, the last one first.
import type { DatabaseSync } from "node:sqlite";
import type { ChangedFileRow, QueryArgs } from "@signalbox/protocol";
import { integer, integerOrNull, type Row, text } from "../database/row.ts";
import { badCursor, chooseLimit, parseCursor, toCursor } from "./arguments.ts";
import type { Page } from "./thread-list.ts";

// A sum over rows of which one is unknown is unknown.
const changedFilesSql = `SELECT * FROM (
    SELECT thread_id, path, count(*) AS calls, min(seq) AS seq, max(seq) AS last_seq,
      CASE WHEN count(added) = count(*) THEN sum(added) END AS added,
      CASE WHEN count(removed) = count(*) THEN sum(removed) END AS removed
    FROM file_changes WHERE thread_id = ? GROUP BY path
  ) WHERE (last_seq, path) < (?, ?) ORDER BY last_seq DESC, path DESC LIMIT ?`;

type EditedFile = ChangedFileRow & { readonly last_seq: number };

export function changedFilesQuery(database: DatabaseSync) {
  const find = database.prepare(changedFilesSql);
  return (args: QueryArgs<"changed_files.list">): Page<EditedFile> => {
    const limit = chooseLimit(args);
    const [seq, path] = parseCursor(args) ?? [Number.MAX_SAFE_INTEGER, ""];
    if (typeof seq !== "number" || typeof path !== "string") throw badCursor();
    const found = find.all(args.thread_id, seq, path, limit + 1).map(toChangedFile);
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    if (found.length <= limit || last === undefined) return { rows };
    return { rows, next_cursor: toCursor([last.last_seq, last.path]) };
  };
}

function toChangedFile(row: Row): EditedFile {
  return {
    thread_id: text(row, "thread_id"),
    path: text(row, "path"),
    source: "tool_calls",
    calls: integer(row, "calls"),
    seq: integer(row, "seq"),
    last_seq: integer(row, "last_seq"),
    added: integerOrNull(row, "added"),
    removed: integerOrNull(row, "removed"),
  };
}
