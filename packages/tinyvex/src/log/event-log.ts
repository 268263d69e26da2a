// The append-only log: every event of a thread under a gapless `seq`, its payload packed as payload-packing says.
import type { DatabaseSync } from "node:sqlite";
import type { Json } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { integer, parseJson, type Row, text, textOrNull } from "../database/row.ts";
import type { Cut } from "./cut.ts";
import { cutsFromColumn, cutsToColumn, unpack } from "./payload-packing.ts";

/** One event of the log on its way into the rows. */
export interface LoggedEvent {
  readonly threadId: string;
  readonly seq: number;
  readonly ts: number;
  readonly kind: string;
  /** The payload; its big strings are marks that stand for `cuts`. */
  readonly value: Json;
  readonly cuts: readonly Cut[];
}

export class EventLog {
  readonly #insert;
  readonly #find;
  readonly #after;
  readonly #blobs: BlobReader;

  constructor(database: DatabaseSync, blobs: BlobReader) {
    this.#blobs = blobs;
    this.#insert = database.prepare(
      "INSERT INTO acp_events(thread_id, seq, ts, kind, payload, refs) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#find = database.prepare("SELECT * FROM acp_events WHERE thread_id = ? AND seq = ?");
    this.#after = database.prepare("SELECT * FROM acp_events WHERE id > ? ORDER BY id LIMIT ?");
  }

  append(event: LoggedEvent, payload: string): void {
    const { threadId, seq, ts, kind, cuts } = event;
    this.#insert.run(threadId, seq, ts, kind, payload, cutsToColumn(cuts));
  }

  find(threadId: string, seq: number): LoggedEvent | null {
    const row = this.#find.get(threadId, seq);
    return row === undefined ? null : this.#read(row);
  }

  /** The next events over all threads, in the order in which they were stored. */
  after(id: number, limit: number): { readonly id: number; readonly event: LoggedEvent; readonly size: number }[] {
    return this.#after
      .all(id, limit)
      .map((row) => ({ id: integer(row, "id"), event: this.#read(row), size: text(row, "payload").length }));
  }

  #read(row: Row): LoggedEvent {
    const cuts = cutsFromColumn(textOrNull(row, "refs"));
    const payload = text(row, "payload");
    return {
      threadId: text(row, "thread_id"),
      seq: integer(row, "seq"),
      ts: integer(row, "ts"),
      kind: text(row, "kind"),
      value: parseJson(cuts.length === 0 ? payload : unpack(payload, cuts, this.#blobs, "mark")),
      cuts,
    };
  }
}
