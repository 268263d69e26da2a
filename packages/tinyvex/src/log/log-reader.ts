// Reads the log in the form in which it travels to another machine. Its long strings are blobs under their hash; output that lies where its
// terminal has it, which only this file could resolve, is written out.
import type { DatabaseSync } from "node:sqlite";
import type { LogPosition, PortableBlob, PortableEvent } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { integer, type Row, text, textOrNull } from "../database/row.ts";
import { textPieces } from "../projection/big-values.ts";
import { EventLog } from "./event-log.ts";
import { createSource, isLongText, type LongText, replaceValue } from "./long-text.ts";

const hashName = /^[0-9a-f]{64}$/;

export class LogReader {
  readonly #blobs: BlobReader;
  readonly #log: EventLog;
  readonly #positions;
  readonly #events;

  constructor(database: DatabaseSync, blobs: BlobReader) {
    this.#blobs = blobs;
    this.#log = new EventLog(database);
    this.#positions = database.prepare(
      `SELECT id, cwd, updated_at, (SELECT max(seq) FROM acp_events WHERE thread_id = threads.id) AS last_seq FROM threads`,
    );
    this.#events = database.prepare("SELECT * FROM acp_events WHERE thread_id = ? AND seq > ? ORDER BY seq LIMIT ?");
  }

  positions(): readonly LogPosition[] {
    return this.#positions.all().map((row) => ({
      thread_id: text(row, "id"),
      cwd: text(row, "cwd"),
      last_seq: integer(row, "last_seq"),
      updated_at: integer(row, "updated_at"),
    }));
  }

  /** The next events; at least one where there is one, and no more than about so many characters. */
  after(threadId: string, seq: number, maxEvents: number, maxLength: number): readonly PortableEvent[] {
    const events: PortableEvent[] = [];
    let length = 0;
    for (const row of this.#events.iterate(threadId, seq, maxEvents)) {
      const portable = this.#toPortable(row);
      events.push(portable);
      length += portable.payload.length;
      if (length >= maxLength) break;
    }
    return events;
  }

  #toPortable(row: Row): PortableEvent {
    const head = { seq: integer(row, "seq"), ts: integer(row, "ts"), kind: text(row, "kind") };
    if (textOrNull(row, "refs") === null) return { ...head, payload: this.#log.json(row), refs: [], blobs: [] };
    const { event, json } = this.#log.readWithJson(row);
    const { refs } = event;
    const long: LongText[] = [];
    for (const ref of refs) replaceValue(event.value, ref, (found) => (isLongText(found) && long.push(found), found));
    if (long.every((found) => this.#isWholeBlob(found))) {
      const blobs = long.map(({ blob, size }): PortableBlob => ({ hash: blob, size }));
      return { ...head, payload: json, refs, blobs };
    }
    const whole = refs.reduce(
      (value, ref) =>
        replaceValue(value, ref, (found) => (isLongText(found) ? [...textPieces(found, this.#blobs)].join("") : found)),
      event.value,
    );
    const source = createSource(whole);
    const blobs = source.texts.map(({ hash, bytes }): PortableBlob => ({ hash, size: bytes.length, bytes }));
    return { ...head, payload: source.json, refs: source.refs, blobs };
  }

  #isWholeBlob({ blob, start, size }: LongText): boolean {
    return hashName.test(blob) && start === 0 && this.#blobs.byHash(blob)?.size === size;
  }
}
