// Counts the bytes that each thread holds in the file, with its title: most threads are not loaded in a client.
import type { DatabaseSync } from "node:sqlite";
import type { SizesRow } from "@signalbox/protocol";
import { integer, text, textOrNull } from "../database/row.ts";

export class SizesQuery {
  readonly #file;
  readonly #perThread;

  constructor(database: DatabaseSync) {
    this.#file = database.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size");
    // The bytes of a thread's log and of the blobs it uses; a blob that several threads use counts for each.
    this.#perThread = database.prepare(
      `SELECT id, bytes + coalesce((
         SELECT sum(coalesce((SELECT sum(length(c.bytes)) FROM blob_chunks AS c WHERE c.blob_id = blobs.id), 0))
         FROM blobs WHERE blobs.id IN (SELECT blob_id FROM blob_uses WHERE thread_id = threads.id)
       ), 0) AS bytes, title
       FROM threads ORDER BY 2 DESC, id`,
    );
  }

  get(): SizesRow {
    return {
      file: integer(this.#file.get() ?? {}, "bytes"),
      threads: this.#perThread
        .all()
        .map((row) => ({ thread_id: text(row, "id"), title: textOrNull(row, "title"), bytes: integer(row, "bytes") })),
    };
  }
}
