// Reads the rows of one table that belong to a thread: by pages, the newest, and those that changed since an event.
import type { DatabaseSync } from "node:sqlite";
import type { Row } from "../database/row.ts";
import { cutPage, readSeqRange, type SeqPageArgs, SeqTable } from "./seq-pages.ts";

export interface Page<Item> {
  readonly rows: readonly Item[];
  readonly next_cursor?: string;
}

export class ThreadList<Item extends { readonly seq: number }> {
  readonly #toItem: (row: Row) => Item;
  readonly #pages: SeqTable;
  readonly #newest;
  readonly #changed;

  /** `filter` leaves rows out of the pages; what changed is given with them, so that a client drops what it has of them. */
  constructor(database: DatabaseSync, table: string, toItem: (row: Row) => Item, filter = "TRUE") {
    this.#toItem = toItem;
    this.#pages = new SeqTable(database, table, filter);
    this.#newest = database.prepare(
      `SELECT * FROM ${table} WHERE thread_id = ? AND ${filter} ORDER BY seq DESC LIMIT ?`,
    );
    this.#changed = database.prepare(
      `SELECT * FROM ${table} WHERE thread_id = ? AND last_seq >= ? ORDER BY last_seq LIMIT ?`,
    );
  }

  page(args: { readonly thread_id: string } & SeqPageArgs): Page<Item> {
    const range = readSeqRange(args);
    const { items, nextCursor } = cutPage(this.#pages.read(args.thread_id, range).map(this.#toItem), range);
    return nextCursor === undefined ? { rows: items } : { rows: items, next_cursor: nextCursor };
  }

  /** Ascending. */
  newest(threadId: string, limit: number): Item[] {
    return this.#newest.all(threadId, limit).toReversed().map(this.#toItem);
  }

  /** By what changed first; that event's own changes are among them. */
  listChanged(threadId: string, seq: number, limit: number): Item[] {
    return this.#changed.all(threadId, seq, limit).map(this.#toItem);
  }
}
