// Writes the full-text index, after the commit and a little at a time: what is complete is put in a queue with its row, and
// taken from there in batches; a big text is split into slices. So no commit waits for words, and a batch costs less than
// its items would one by one.
import type { DatabaseSync } from "node:sqlite";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { integer, integerOrNull, type Row, text } from "../database/row.ts";
import { type FindableItem, FindableItems, type ItemType } from "./findable-items.ts";
import { folderTags, tag, timeTags } from "./tags.ts";

/** A batch ends at so many items, or so many characters. */
const batchItems = 100;
const batchLength = 64 * 1024;
const sliceBytes = 48 * 1024;
/** The ids of the items that an event completed begin at the event's own id times this. */
export const idsPerEvent = 16;
const maxIdsTaken = 4096;
/** How much of the index one step of `forgetSome` writes. */
const mergePages = 500;

export class SearchIndex {
  readonly #blobs: BlobReader;
  readonly #items: FindableItems;
  readonly #statements;
  #mayHaveWork = true;
  /** The event that the last item was placed by, and the last id that this item got. */
  #last: { readonly event: number; readonly id: number } | null = null;

  constructor(database: DatabaseSync, blobs: BlobReader) {
    this.#blobs = blobs;
    this.#items = new FindableItems(database, blobs);
    const columns = "thread_id, seq, item, item_id, kind, ts";
    this.#statements = {
      thread: database.prepare("SELECT agent_id, cwd FROM threads WHERE id = ?"),
      queue: database.prepare("INSERT INTO search_queue(thread_id, seq, item, item_id) VALUES (?, ?, ?, ?)"),
      queued: database.prepare("SELECT * FROM search_queue ORDER BY id LIMIT ?"),
      unqueue: database.prepare("DELETE FROM search_queue WHERE id <= ?"),
      addItem: database.prepare(
        `INSERT INTO search_items(id, ${columns}, blob_id, start, end) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      addText: database.prepare("INSERT INTO search_text(rowid, title, body, tags) VALUES (?, ?, ?, ?)"),
      dropText: database.prepare("DELETE FROM search_text WHERE rowid = ?"),
      dropItem: database.prepare("DELETE FROM search_items WHERE id = ?"),
      merge: database.prepare("INSERT INTO search_text(search_text, rank) VALUES ('merge', ?)"),
      changes: database.prepare("SELECT total_changes() AS n"),
      ofItem: database.prepare("SELECT id FROM search_items WHERE thread_id = ? AND seq = ? AND item_id = ?"),
      ofThread: database.prepare("SELECT id FROM search_items WHERE thread_id = ? LIMIT ?"),
      queueOfThread: database.prepare("DELETE FROM search_queue WHERE thread_id = ?"),
      slicesOfItem: database.prepare("DELETE FROM search_slices WHERE thread_id = ? AND seq = ? AND item_id = ?"),
      slicesOfThread: database.prepare("DELETE FROM search_slices WHERE thread_id = ?"),
      addSlices: database.prepare(
        `INSERT INTO search_slices(${columns}, tags, blob_id, start, end, next_id, last_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      nextSlice: database.prepare("SELECT * FROM search_slices ORDER BY id LIMIT 1"),
      moveSlice: database.prepare("UPDATE search_slices SET start = ?, next_id = ? WHERE id = ?"),
      endSlices: database.prepare("DELETE FROM search_slices WHERE id = ?"),
      eventId: database.prepare("SELECT id FROM acp_events WHERE thread_id = ? AND seq = ?"),
      takenBy: database.prepare("SELECT max(id) AS id FROM search_items WHERE id >= ? AND id < ?"),
      reservedFor: database.prepare("SELECT max(last_id) AS id FROM search_slices WHERE next_id < ? AND last_id >= ?"),
    };
  }

  /** An item is complete, or complete again: it will be found soon. */
  queue(threadId: string, seq: number, type: ItemType, itemId: string): void {
    this.#statements.queue.run(threadId, seq, type, itemId);
    this.#mayHaveWork = true;
  }

  /** False when surely nothing is left to index. */
  get mayHaveWork(): boolean {
    return this.#mayHaveWork;
  }

  /** Indexes a batch of what waits, or a slice of a big text; false when there is nothing. */
  indexSome(): boolean {
    this.#mayHaveWork = this.#indexBatch() || this.#indexSlice();
    return this.#mayHaveWork;
  }

  /** Takes some of a thread's items out; false when none is left. */
  dropSome(threadId: string, limit: number): boolean {
    this.#statements.queueOfThread.run(threadId);
    this.#statements.slicesOfThread.run(threadId);
    const rows = this.#statements.ofThread.all(threadId, limit);
    for (const row of rows) this.#drop(integer(row, "id"));
    return rows.length > 0;
  }

  /** Drops words that only deleted items had, a little at a time; false when none is left. */
  forgetSome(isFirst: boolean): boolean {
    const before = this.#statements.changes.get();
    // A negative number begins: all parts of the index are to become one.
    this.#statements.merge.run(isFirst ? -mergePages : mergePages);
    const after = this.#statements.changes.get();
    return Number(after?.n) - Number(before?.n) > 1;
  }

  reset(): void {
    this.#last = null;
    this.#mayHaveWork = true;
  }

  #indexBatch(): boolean {
    let length = 0;
    let done = 0;
    for (const row of this.#statements.queued.all(batchItems)) {
      if (length > batchLength) break;
      const item = this.#items.find(
        text(row, "thread_id"),
        integer(row, "seq"),
        text(row, "item"),
        text(row, "item_id"),
      );
      this.#forget(row);
      const thread = this.#statements.thread.get(text(row, "thread_id"));
      // Either is undefined when it was deleted in the meantime.
      if (item !== null && thread !== undefined) this.#put(row, item, thread);
      length += item === null ? 0 : item.title.length + item.body.length;
      done = integer(row, "id");
    }
    if (done > 0) this.#statements.unqueue.run(done);
    return done > 0;
  }

  /** Takes out what was known of an item before. */
  #forget(queued: Row): void {
    const item = [text(queued, "thread_id"), integer(queued, "seq"), text(queued, "item_id")] as const;
    for (const row of this.#statements.ofItem.all(...item)) this.#drop(integer(row, "id"));
    this.#statements.slicesOfItem.run(...item);
  }

  /** Makes an item findable. */
  #put(queued: Row, item: FindableItem, thread: Row): void {
    const threadId = text(queued, "thread_id");
    const seq = integer(queued, "seq");
    const type = text(queued, "item");
    const { itemId, kind, ts, title, body, blobs } = item;
    const columns = [threadId, seq, type, itemId, kind, ts];
    const tags = buildTags(thread, threadId, type, item);
    if (title !== "" || body !== "") {
      const id = this.#reserve(threadId, item, 1);
      this.#statements.addItem.run(id, ...columns, null, null, null);
      this.#statements.addText.run(id, title, body, tags);
    }
    for (const blob of blobs) {
      const slices = countSlices(blob.size);
      const first = this.#reserve(threadId, item, slices);
      this.#statements.addSlices.run(...columns, tags, blob.id, 0, blob.size, first, first + slices - 1);
    }
  }

  #indexSlice(): boolean {
    const slices = this.#statements.nextSlice.get();
    if (slices === undefined) return false;
    const blobId = integer(slices, "blob_id");
    const blob = this.#blobs.byId(blobId);
    const start = integer(slices, "start");
    const end = integer(slices, "end");
    const id = integer(slices, "next_id");
    const isOver = blob === null || id > integer(slices, "last_id");
    const words = isOver ? "" : this.#blobs.text(blob, start, Math.min(end, start + sliceBytes));
    const slice = start + sliceBytes >= end ? words : toLastSpace(words);
    const next = start + Buffer.byteLength(slice);
    if (slice !== "") {
      this.#statements.addItem.run(id, ...sliceColumns(slices), blobId, start, next);
      this.#statements.addText.run(id, "", slice, text(slices, "tags"));
    }
    if (slice === "" || next >= end) this.#statements.endSlices.run(integer(slices, "id"));
    else this.#statements.moveSlice.run(next, id + 1, integer(slices, "id"));
    return true;
  }

  #drop(id: number): void {
    this.#statements.dropText.run(id);
    this.#statements.dropItem.run(id);
  }

  /** Gives the first of `count` free ids, as near as possible behind the place of the event that completed the item. */
  #reserve(threadId: string, { lastSeq }: FindableItem, count: number): number {
    const event = integer(this.#statements.eventId.get(threadId, lastSeq) ?? { id: 0 }, "id");
    let first = this.#last?.event === event ? this.#last.id + 1 : event * idsPerEvent;
    for (;;) {
      const taken = this.#lastTaken(first, first + count);
      if (taken === null) break;
      // An event before this one needed more ids than belong to it: the item goes behind them.
      first = (this.#lastTaken(first, first + maxIdsTaken) ?? taken) + 1;
    }
    this.#last = { event, id: first + count - 1 };
    return first;
  }

  /** The last id in a range that is in use or reserved; null when all are free. */
  #lastTaken(from: number, end: number): number | null {
    const { takenBy, reservedFor } = this.#statements;
    const ids = [takenBy.get(from, end), reservedFor.get(end, from)].map((row) => integerOrNull(row ?? {}, "id"));
    return ids.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a));
  }
}

/** So many ids are reserved for a text: a slice ends between words, in its second half. */
function countSlices(size: number): number {
  return Math.ceil(size / (sliceBytes / 2));
}

function sliceColumns(row: Row): (string | number)[] {
  return [
    text(row, "thread_id"),
    integer(row, "seq"),
    text(row, "item"),
    text(row, "item_id"),
    text(row, "kind"),
    integer(row, "ts"),
  ];
}

function buildTags(thread: Row, threadId: string, type: string, { kind, status, ts }: FindableItem): string {
  const tags = [
    tag("thread", threadId),
    tag("agent", text(thread, "agent_id")),
    tag("kind", kind),
    ...(type === kind ? [] : [tag("kind", type)]),
    ...(status === null ? [] : [tag("status", status)]),
    ...folderTags(text(thread, "cwd")),
    ...timeTags(ts),
  ];
  return tags.join(" ");
}

/** A slice ends between words, if there is a space in its second half. */
function toLastSpace(words: string): string {
  const end = Math.max(words.lastIndexOf(" "), words.lastIndexOf("\n"));
  return end < words.length / 2 ? words : words.slice(0, end + 1);
}
