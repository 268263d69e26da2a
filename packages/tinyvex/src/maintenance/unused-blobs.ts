// Deletes blobs that nothing needs. A blob is needed while a thread uses it, or while another blob has the same text and points to it
// (`same_as`).
import type { DatabaseSync } from "node:sqlite";
import { integerOrNull } from "../database/row.ts";

export class UnusedBlobs {
  readonly #drop;
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    // Its chunks go with it.
    this.#drop = database.prepare(
      `DELETE FROM blobs WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM blob_uses WHERE blob_id = ?1)
         AND NOT EXISTS (SELECT 1 FROM blobs AS other WHERE other.same_as = ?1)
       RETURNING same_as`,
    );
  }

  /** Drops the blob if nothing needs it, and then the one it pointed to if nothing else does. */
  drop(blobId: number): void {
    const dropped = this.#drop.get(blobId);
    const sameAs = dropped === undefined ? null : integerOrNull(dropped, "same_as");
    if (sameAs !== null) this.drop(sameAs);
  }

  /** Drops all that nothing needs; it looks at every blob. */
  dropAll(): void {
    const unused = this.#database.prepare("SELECT id FROM blobs WHERE id NOT IN (SELECT blob_id FROM blob_uses)").all();
    for (const { id } of unused) this.drop(Number(id));
  }
}
