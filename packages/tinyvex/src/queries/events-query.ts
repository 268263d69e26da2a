// Answers `events.list`: the log of a thread as it was written. A long string is its beginning, and `blobs` says where in
// the payload it stands and where the whole lies; with `full` everything is put back.
import type { DatabaseSync } from "node:sqlite";
import type { EventRow, QueryArgs } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { integer } from "../database/row.ts";
import { EventLog, type LoggedEvent } from "../log/event-log.ts";
import { isLongText, replaceValue } from "../log/long-text.ts";
import { beginning, textPieces } from "../projection/big-values.ts";
import { cutPage, readSeqRange, SeqTable } from "./seq-pages.ts";

type EventBlob = NonNullable<EventRow["blobs"]>[number];

export function eventsQuery(database: DatabaseSync, blobs: BlobReader) {
  const events = new SeqTable(database, "acp_events");
  const log = new EventLog(database);
  return (args: QueryArgs<"events.list">): { readonly rows: readonly EventRow[]; readonly next_cursor?: string } => {
    const range = readSeqRange(args);
    const isFull = args.full === true;
    const rows = events.read(args.thread_id, range).map((row) => ({ seq: integer(row, "seq"), row }));
    const { items, nextCursor } = cutPage(rows, range);
    const page = { rows: items.map(({ row }) => toEventRow(log.read(row), blobs, isFull)) };
    return nextCursor === undefined ? page : { ...page, next_cursor: nextCursor };
  };
}

export function toEventRow(event: LoggedEvent, blobs: BlobReader, isFull: boolean): EventRow {
  const { threadId, seq, ts, kind, refs } = event;
  const found: EventBlob[] = [];
  const payload = refs.reduce((value, path) => {
    return replaceValue(value, path, (long) => {
      if (!isLongText(long)) return long;
      if (isFull) return [...textPieces(long, blobs)].join("");
      const { text, ref } = beginning(long, blobs);
      if (ref !== null) found.push({ path, ...ref });
      return text;
    });
  }, event.value);
  const row = { thread_id: threadId, seq, ts, kind, payload };
  return found.length === 0 ? row : { ...row, blobs: found };
}
