// Takes a thread out of the register so that its log can be added again with other content. Its events keep their place in the order over all
// threads, and so does what a search finds of them.
import type { DatabaseSync } from "node:sqlite";
import type { SearchIndex } from "../search/search-index.ts";
import { ThreadDeletion } from "./thread-deletion.ts";

export class ReplacedThread {
  readonly #database: DatabaseSync;
  readonly #threadId: string;
  readonly #deletion: ThreadDeletion;

  constructor(database: DatabaseSync, threadId: string, search: SearchIndex) {
    this.#database = database;
    this.#threadId = threadId;
    this.#deletion = new ThreadDeletion(database, search);
    database.exec(
      "CREATE TEMP TABLE IF NOT EXISTS old_events(seq INTEGER PRIMARY KEY, id INTEGER NOT NULL); DELETE FROM old_events",
    );
    database.prepare("INSERT INTO old_events SELECT seq, id FROM acp_events WHERE thread_id = ?").run(threadId);
  }

  /** Removes some of it; true when nothing is left. */
  removeSlice(): boolean {
    return this.#deletion.removeSlice(this.#threadId);
  }

  /** The thread's events are there again: they get their old ids. */
  finish(): void {
    // The new ids may be among the old ones.
    this.#database.prepare("UPDATE acp_events SET id = -id WHERE thread_id = ?").run(this.#threadId);
    this.#database
      .prepare(
        "UPDATE acp_events SET id = (SELECT o.id FROM old_events AS o WHERE o.seq = acp_events.seq) WHERE thread_id = ?",
      )
      .run(this.#threadId);
    this.#database.exec("DELETE FROM old_events");
  }
}
