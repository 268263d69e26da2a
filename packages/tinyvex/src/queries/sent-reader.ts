// Reads the log of a thread for a client that gets what the agent sent: each payload exactly as it was written, long strings put back.
import type { DatabaseSync } from "node:sqlite";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { integer, type Row, text } from "../database/row.ts";
import { EventLog } from "../log/event-log.ts";
import type { LogEvent } from "../register.ts";
import { outputKind } from "../writer/entry-queue.ts";
import { toEventRow } from "./events-query.ts";
import { SeqTable } from "./seq-pages.ts";

/** A page that has so many characters is full: one event can have millions. */
const maxPageLength = 4 * 1024 * 1024;

export class SentReader {
  readonly #events: SeqTable;
  readonly #log: EventLog;
  readonly #blobs: BlobReader;

  constructor(database: DatabaseSync, blobs: BlobReader) {
    this.#events = new SeqTable(database, "acp_events");
    this.#log = new EventLog(database);
    this.#blobs = blobs;
  }

  read(threadId: string, afterSeq: number, limit: number): readonly LogEvent[] {
    const events: LogEvent[] = [];
    let length = 0;
    for (const row of this.#events.read(threadId, { direction: "after", seq: afterSeq, limit }).slice(0, limit)) {
      const kind = text(row, "kind");
      const sent = kind === outputKind ? [] : [{ json: this.#payload(row), end: 0 }];
      events.push({ seq: integer(row, "seq"), kind, sent });
      length += sent[0]?.json.length ?? 0;
      if (length > maxPageLength) break;
    }
    return events;
  }

  #payload(row: Row): string {
    return this.#log.written(row) ?? JSON.stringify(toEventRow(this.#log.read(row), this.#blobs, true).payload);
  }
}
