// Deletes a thread: its row goes immediately, then everything else of it and the blobs that no other thread uses go in slices, so that deleting
// a thread of a million items never holds up the others. A deletion that a crash interrupted is finished at the next opening.
import type { DatabaseSync } from "node:sqlite";
import { text } from "../database/row.ts";
import { threadTables } from "../database/tables.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { UnusedBlobs } from "./unused-blobs.ts";

const sliceRows = 2000;
const slicedTables = [...threadTables.map(({ name }) => name), "acp_events"];

export class ThreadDeletion {
  readonly #search: SearchIndex;
  readonly #statements;
  readonly #slices;
  readonly #blobs: UnusedBlobs;

  constructor(database: DatabaseSync, search: SearchIndex) {
    this.#search = search;
    this.#statements = {
      dropThread: database.prepare("DELETE FROM threads WHERE id = ?"),
      dropStale: database.prepare("DELETE FROM stale_threads WHERE thread_id = ?"),
      begin: database.prepare("INSERT INTO deleted_threads(thread_id) VALUES (?)"),
      begun: database.prepare("SELECT thread_id FROM deleted_threads"),
      end: database.prepare("DELETE FROM deleted_threads WHERE thread_id = ?"),
    };
    this.#slices = slicedTables.map((table) =>
      database.prepare(
        `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE thread_id = ? LIMIT ${sliceRows})`,
      ),
    );
    this.#blobs = new UnusedBlobs(database);
  }

  /** Takes the thread out of sight; false when there is none. */
  mark(threadId: string): boolean {
    if (this.#statements.dropThread.run(threadId).changes === 0) return false;
    this.#statements.dropStale.run(threadId);
    this.#statements.begin.run(threadId);
    return true;
  }

  marked(): string[] {
    return this.#statements.begun.all().map((row) => text(row, "thread_id"));
  }

  /** Removes some of it; true when nothing is left. */
  removeSlice(threadId: string): boolean {
    if (this.#search.dropSome(threadId, sliceRows)) return false;
    if (this.#slices.some((slice) => slice.run(threadId).changes !== 0)) return false;
    if (this.#blobs.dropUses(threadId, "log") || this.#blobs.dropUses(threadId, "rows")) return false;
    this.#statements.dropThread.run(threadId);
    this.#statements.end.run(threadId);
    return true;
  }
}
