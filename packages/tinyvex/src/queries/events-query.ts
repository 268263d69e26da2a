// `events.list`: the log of a thread as it was written.
import type { DatabaseSync } from "node:sqlite";
import type { EventRow, JsonObject } from "@signalbox/protocol";
import { integer, parseJson, type Row, text } from "../database/row.ts";
import { threadIdOf } from "./arguments.ts";
import { pageOf, SeqTable, seqRangeOf } from "./seq-pages.ts";

export function eventsQuery(database: DatabaseSync) {
  const events = new SeqTable(database, "acp_events");
  return (args: JsonObject): { readonly rows: readonly EventRow[]; readonly next_cursor?: string } => {
    const range = seqRangeOf(args);
    const { items, nextCursor } = pageOf(events.read(threadIdOf(args), range).map(toEventRow), range);
    return nextCursor === undefined ? { rows: items } : { rows: items, next_cursor: nextCursor };
  };
}

function toEventRow(row: Row): EventRow {
  return {
    thread_id: text(row, "thread_id"),
    seq: integer(row, "seq"),
    ts: integer(row, "ts"),
    kind: text(row, "kind"),
    payload: parseJson(text(row, "payload")),
  };
}
