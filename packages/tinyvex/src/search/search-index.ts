// Writes the full-text index: an item when it is complete. A big text is cut into slices that are indexed afterwards, a
// little at a time, so that no commit waits for the words of fifty megabytes.
import type { DatabaseSync } from "node:sqlite";
import type { BlobReader, BlobRecord } from "../blobs/blob-reader.ts";
import { integer, integerOrNull, type Row, text } from "../database/row.ts";
import { folderTags, tag } from "./tags.ts";

export interface SearchItem {
  readonly threadId: string;
  readonly agentId: string;
  readonly cwd: string;
  readonly seq: number;
  readonly item: "message" | "tool_call" | "terminal";
  readonly itemId: string;
  /** `message`, `reason`, a kind of tool, `terminal`. */
  readonly kind: string;
  readonly status: string | null;
  readonly ts: number;
}

const SLICE_BYTES = 48 * 1024;

export class SearchIndex {
  readonly #blobs: BlobReader;
  readonly #statements;
  #lastId: number | null = null;
  #mayHaveJobs = true;

  constructor(database: DatabaseSync, blobs: BlobReader) {
    this.#blobs = blobs;
    const columns = "thread_id, seq, item, item_id, kind, ts";
    this.#statements = {
      addItem: database.prepare(
        `INSERT INTO search_items(id, ${columns}, blob_id, start, end) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      addText: database.prepare("INSERT INTO search_text(rowid, title, body, tags) VALUES (?, ?, ?, ?)"),
      dropText: database.prepare("DELETE FROM search_text WHERE rowid = ?"),
      dropItem: database.prepare("DELETE FROM search_items WHERE id = ?"),
      ofItem: database.prepare("SELECT id FROM search_items WHERE thread_id = ? AND seq = ? AND item = ?"),
      ofThread: database.prepare("SELECT id FROM search_items WHERE thread_id = ? LIMIT ?"),
      dropJob: database.prepare("DELETE FROM search_jobs WHERE thread_id = ? AND seq = ? AND item = ?"),
      jobsOfThread: database.prepare("DELETE FROM search_jobs WHERE thread_id = ?"),
      addJob: database.prepare(
        `INSERT INTO search_jobs(${columns}, tags, blob_id, start, end, next_id, last_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      lastId: database.prepare(
        "SELECT max(coalesce((SELECT max(id) FROM search_items), 0), coalesce((SELECT max(last_id) FROM search_jobs), 0)) AS id",
      ),
      nextJob: database.prepare("SELECT * FROM search_jobs ORDER BY id LIMIT 1"),
      moveJob: database.prepare("UPDATE search_jobs SET start = ?, next_id = ? WHERE id = ?"),
      endJob: database.prepare("DELETE FROM search_jobs WHERE id = ?"),
    };
  }

  /** Makes an item findable by its title, its text and the words of its blobs; what was known of it before is replaced. */
  put(item: SearchItem, title: string, body: string, blobs: readonly BlobRecord[]): void {
    const { threadId, seq, item: type } = item;
    for (const row of this.#statements.ofItem.all(threadId, seq, type)) this.#drop(integer(row, "id"));
    this.#statements.dropJob.run(threadId, seq, type);
    const tags = tagsOf(item);
    if (title !== "" || body !== "") {
      const id = this.#reserve(1);
      this.#statements.addItem.run(id, ...columnsOf(item), null, null, null);
      this.#statements.addText.run(id, title, body, tags);
    }
    if (blobs.length > 0) this.#mayHaveJobs = true;
    for (const blob of blobs) {
      const slices = Math.ceil(blob.size / (SLICE_BYTES / 2));
      const first = this.#reserve(slices);
      this.#statements.addJob.run(...columnsOf(item), tags, blob.id, 0, blob.size, first, first + slices - 1);
    }
  }

  /** Indexes the next slice of a big text; false when there is none. */
  indexSlice(): boolean {
    const job = this.#statements.nextJob.get();
    this.#mayHaveJobs = job !== undefined;
    if (job === undefined) return false;
    const blobId = integer(job, "blob_id");
    const blob = this.#blobs.byId(blobId);
    const start = integer(job, "start");
    const end = integer(job, "end");
    const id = integer(job, "next_id");
    const words =
      blob === null || id > integer(job, "last_id") ? "" : this.#blobs.text(blob, start, start + SLICE_BYTES);
    const slice = start + SLICE_BYTES >= end ? words : toLastSpace(words);
    const next = start + Buffer.byteLength(slice);
    if (slice !== "") {
      this.#statements.addItem.run(id, ...jobColumns(job), blobId, start, next);
      this.#statements.addText.run(id, "", slice, text(job, "tags"));
    }
    if (slice === "" || next >= end) this.#statements.endJob.run(integer(job, "id"));
    else this.#statements.moveJob.run(next, id + 1, integer(job, "id"));
    return true;
  }

  /** Takes some of a thread's items out; false when none is left. */
  dropSome(threadId: string, limit: number): boolean {
    this.#statements.jobsOfThread.run(threadId);
    const rows = this.#statements.ofThread.all(threadId, limit);
    for (const row of rows) this.#drop(integer(row, "id"));
    return rows.length > 0;
  }

  /** False when surely nothing is left to index. */
  get mayHaveJobs(): boolean {
    return this.#mayHaveJobs;
  }

  reset(): void {
    this.#lastId = null;
    this.#mayHaveJobs = true;
  }

  #drop(id: number): void {
    this.#statements.dropText.run(id);
    this.#statements.dropItem.run(id);
  }

  /** Gives the first of `count` new ids. */
  #reserve(count: number): number {
    this.#lastId ??= integerOrNull(this.#statements.lastId.get() ?? { id: 0 }, "id") ?? 0;
    const first = this.#lastId + 1;
    this.#lastId += count;
    return first;
  }
}

function columnsOf({ threadId, seq, item, itemId, kind, ts }: SearchItem): (string | number)[] {
  return [threadId, seq, item, itemId, kind, ts];
}

function jobColumns(job: Row): (string | number)[] {
  return [
    text(job, "thread_id"),
    integer(job, "seq"),
    text(job, "item"),
    text(job, "item_id"),
    text(job, "kind"),
    integer(job, "ts"),
  ];
}

function tagsOf({ threadId, agentId, cwd, item, kind, status }: SearchItem): string {
  const tags = [
    tag("thread", threadId),
    tag("agent", agentId),
    tag("kind", kind),
    ...(item === kind ? [] : [tag("kind", item)]),
    ...(status === null ? [] : [tag("status", status)]),
    ...folderTags(cwd),
  ];
  return tags.join(" ");
}

/** A slice ends between words, if there is a space in its second half. */
function toLastSpace(words: string): string {
  const end = Math.max(words.lastIndexOf(" "), words.lastIndexOf("\n"));
  return end < words.length / 2 ? words : words.slice(0, end + 1);
}
