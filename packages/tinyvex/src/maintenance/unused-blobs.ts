// Deletes blobs that nothing needs. A blob is needed while a thread uses it, or while another blob has the same text and points to it
// (`same_as`).
import type { DatabaseSync } from "node:sqlite";
import type { BlobUser } from "../blobs/blob-store.ts";
import { integer, integerOrNull } from "../database/row.ts";

const usesPerSlice = 20;

export class UnusedBlobs {
  readonly #drop;
  readonly #uses;
  readonly #dropUse;

  constructor(database: DatabaseSync) {
    this.#uses = database.prepare(
      `SELECT blob_id FROM blob_uses WHERE thread_id = ? AND used_by = ? LIMIT ${usesPerSlice}`,
    );
    this.#dropUse = database.prepare("DELETE FROM blob_uses WHERE thread_id = ? AND used_by = ? AND blob_id = ?");
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

  /** A thread needs some of its blobs no longer; false when it needed none. */
  dropUses(threadId: string, user: BlobUser): boolean {
    const uses = this.#uses.all(threadId, user);
    for (const use of uses) {
      const blobId = integer(use, "blob_id");
      this.#dropUse.run(threadId, user, blobId);
      this.drop(blobId);
    }
    return uses.length > 0;
  }
}
