// Deletes a thread: it is hidden immediately, then its rows and the blobs that no other thread uses go in slices, so that deleting a
// thread of a million items never holds up the others. A deletion that a crash interrupted is finished at the next opening.
import type { DatabaseSync } from "node:sqlite";
import { threadListNames } from "@signalbox/protocol";
import { integer, text } from "../database/row.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { UnusedBlobs } from "./unused-blobs.ts";

const sliceRows = 2000;
const threadTables = ["messages", "tool_calls", "file_changes", ...threadListNames, "acp_events"];

export class ThreadDeletion {
  readonly #search: SearchIndex;
  readonly #mark;
  readonly #marked;
  readonly #slices;
  readonly #uses;
  readonly #dropUse;
  readonly #blobs: UnusedBlobs;
  readonly #dropThread;

  constructor(database: DatabaseSync, search: SearchIndex) {
    this.#search = search;
    this.#mark = database.prepare("UPDATE threads SET deleting = 1 WHERE id = ? AND deleting = 0");
    this.#marked = database.prepare("SELECT id FROM threads WHERE deleting = 1");
    this.#slices = threadTables.map((table) =>
      database.prepare(
        `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE thread_id = ? LIMIT ${sliceRows})`,
      ),
    );
    this.#uses = database.prepare("SELECT blob_id, used_by FROM blob_uses WHERE thread_id = ? LIMIT 20");
    this.#dropUse = database.prepare("DELETE FROM blob_uses WHERE thread_id = ? AND blob_id = ? AND used_by = ?");
    this.#blobs = new UnusedBlobs(database);
    this.#dropThread = database.prepare("DELETE FROM threads WHERE id = ?");
  }

  /** Takes the thread out of sight; false when there is none. */
  mark(threadId: string): boolean {
    return this.#mark.run(threadId).changes !== 0;
  }

  marked(): string[] {
    return this.#marked.all().map((row) => text(row, "id"));
  }

  /** Removes some of it; true when nothing is left. */
  removeSlice(threadId: string): boolean {
    if (this.#search.dropSome(threadId, sliceRows)) return false;
    if (this.#slices.some((slice) => slice.run(threadId).changes !== 0)) return false;
    const uses = this.#uses.all(threadId);
    for (const use of uses) {
      const blobId = integer(use, "blob_id");
      this.#dropUse.run(threadId, blobId, text(use, "used_by"));
      this.#blobs.drop(blobId);
    }
    if (uses.length > 0) return false;
    this.#dropThread.run(threadId);
    return true;
  }
}
