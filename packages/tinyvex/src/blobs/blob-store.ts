// Stores large texts once: bytes under their SHA-256, in pieces that can be read by range. A text that still grows has no hash
// until it ends. Which thread uses a blob is stored beside it, so that deleting a thread frees it.
import { createHash, type Hash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { bytes as bytesOf, integer } from "../database/row.ts";
import { BlobReader, type SealedBlob } from "./blob-reader.ts";
import { chunkBytes, joinBytes } from "./limits.ts";

/** `log`: an event needs it, so it stays as long as the thread. `rows`: a projection made it, a rebuild makes it again. */
export type BlobUser = "log" | "rows";

/** Bytes and their SHA-256. */
interface HashedBytes {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** A text that grows: where its last piece lies. `blobId` is null until something was written. */
export interface GrowingText {
  readonly threadId: string;
  readonly user: BlobUser;
  blobId: number | null;
  size: number;
  lastOffset: number;
  lastSize: number;
  hash: Hash | null;
}

/** So much of a text is written in one transaction, where others wait for it. */
const sliceBytes = 1024 * 1024;

/** The growing texts that are remembered; others are read again when they go on. */
const maxRemembered = 256;

function newGrowingText(threadId: string, user: BlobUser): GrowingText {
  return { threadId, user, blobId: null, size: 0, lastOffset: 0, lastSize: 0, hash: createHash("sha256") };
}

export class BlobStore {
  readonly reader: BlobReader;
  readonly #statements;
  /** Texts that grew lately, by blob: their hashes go on where they were. */
  readonly #growing = new Map<number, GrowingText>();

  constructor(database: DatabaseSync) {
    this.reader = new BlobReader(database);
    this.#statements = {
      create: database.prepare("INSERT INTO blobs(hash, size, same_as) VALUES (?, ?, ?) RETURNING id"),
      use: database.prepare("INSERT OR IGNORE INTO blob_uses(thread_id, blob_id, used_by) VALUES (?, ?, ?)"),
      addChunk: database.prepare("INSERT INTO blob_chunks(blob_id, offset, bytes) VALUES (?, ?, ?)"),
      // The `||` of two blobs is a text to SQLite; the cast makes it bytes again without touching them.
      joinChunk: database.prepare(
        "UPDATE blob_chunks SET bytes = CAST(bytes || ? AS BLOB) WHERE blob_id = ? AND offset = ?",
      ),
      lastChunk: database.prepare(
        "SELECT offset, length(bytes) AS size FROM blob_chunks WHERE blob_id = ? ORDER BY offset DESC LIMIT 1",
      ),
      chunks: database.prepare("SELECT bytes FROM blob_chunks WHERE blob_id = ? ORDER BY offset"),
      seal: database.prepare("UPDATE blobs SET hash = ?, size = ? WHERE id = ?"),
      alias: database.prepare("UPDATE blobs SET same_as = ?, size = ? WHERE id = ?"),
      dropChunks: database.prepare("DELETE FROM blob_chunks WHERE blob_id = ?"),
      dropUse: database.prepare("DELETE FROM blob_uses WHERE thread_id = ? AND blob_id = ? AND used_by = ?"),
      drop: database.prepare("DELETE FROM blobs WHERE id = ?"),
    };
  }

  /**
   * Stores bytes under their hash, or finds that they are there already. `before` is a blob that these bytes may go on from (an output that is
   * sent whole again): if they do, only what is new is written, behind what is there.
   */
  put(threadId: string, user: BlobUser, { hash, bytes }: HashedBytes, before?: SealedBlob): SealedBlob {
    const blob = this.#known(hash) ?? this.#extend(hash, bytes, before) ?? this.#write(hash, bytes);
    this.#statements.use.run(threadId, blob.id, user);
    return blob;
  }

  /**
   * The same, a slice at a time: each step runs in a transaction of its own. Gives the blob that is not whole yet, so that a caller who stops can
   * `discardUnfinished` it.
   */
  *putInSlices(
    threadId: string,
    user: BlobUser,
    text: HashedBytes,
    before?: SealedBlob,
  ): Generator<number | null, void> {
    const { hash, bytes } = text;
    if (this.#known(hash) === null && before !== undefined && (yield* this.#continuesBlob(before, bytes)))
      yield* this.#extendInSlices(hash, bytes, before);
    const isThere = this.#known(hash) !== null;
    const blobId = isThere ? null : integer(this.#statements.create.get(null, 0, null) ?? {}, "id");
    if (blobId !== null) {
      this.#statements.use.run(threadId, blobId, user);
      for (let offset = 0; offset < bytes.length; offset += sliceBytes) {
        this.#addChunks(blobId, bytes.subarray(0, offset + sliceBytes), offset);
        yield blobId;
      }
    }
    const same = this.#known(hash);
    if (same !== null) {
      this.#statements.use.run(threadId, same.id, user);
      if (blobId !== null) this.discardUnfinished(threadId, user, blobId);
    } else if (blobId !== null) this.#statements.seal.run(hash, bytes.length, blobId);
  }

  discardUnfinished(threadId: string, user: BlobUser, blobId: number): void {
    this.#statements.dropUse.run(threadId, blobId, user);
    this.#statements.drop.run(blobId);
  }

  *#continuesBlob(before: SealedBlob, bytes: Uint8Array): Generator<null, boolean> {
    if (before.size > bytes.length) return false;
    const hash = createHash("sha256");
    for (let offset = 0; offset < before.size; offset += sliceBytes) {
      hash.update(bytes.subarray(offset, Math.min(before.size, offset + sliceBytes)));
      yield null;
    }
    return hash.digest("hex") === before.hash;
  }

  *#extendInSlices(hash: string, bytes: Uint8Array, before: SealedBlob): Generator<null, void> {
    const { storedIn } = before;
    let known = before;
    while (bytes.length - known.size > sliceBytes) {
      const size = known.size + sliceBytes;
      // Another text may have gone on from it meanwhile.
      if (this.reader.findEnd(storedIn) !== known.size) return;
      this.#addChunks(storedIn, bytes.subarray(0, size), known.size);
      known = { ...known, size };
      yield null;
    }
    if (this.#known(hash) === null) this.#extend(hash, bytes, known, true);
  }

  #known(hash: string): SealedBlob | null {
    const known = this.reader.byHash(hash);
    return known === null ? null : { ...known, hash };
  }

  #extend(hash: string, bytes: Uint8Array, before: SealedBlob | undefined, isCertain = false): SealedBlob | null {
    if (before === undefined || before.size > bytes.length) return null;
    const { storedIn } = before;
    const last = this.#statements.lastChunk.get(storedIn);
    if (last === undefined) return null;
    const lastOffset = integer(last, "offset");
    const lastSize = integer(last, "size");
    // Another text may have gone on from it already.
    if (lastOffset + lastSize !== before.size) return null;
    if (!isCertain && createHash("sha256").update(bytes.subarray(0, before.size)).digest("hex") !== before.hash)
      return null;
    const added = bytes.subarray(before.size);
    if (lastSize + added.length <= joinBytes) this.#statements.joinChunk.run(added, storedIn, lastOffset);
    else this.#addChunks(storedIn, bytes, before.size);
    const id = integer(this.#statements.create.get(hash, bytes.length, storedIn) ?? {}, "id");
    return { id, storedIn, hash, size: bytes.length };
  }

  #write(hash: string, bytes: Uint8Array): SealedBlob {
    const id = integer(this.#statements.create.get(hash, bytes.length, null) ?? {}, "id");
    this.#addChunks(id, bytes, 0);
    return { id, storedIn: id, hash, size: bytes.length };
  }

  #addChunks(blobId: number, bytes: Uint8Array, from: number): void {
    for (let offset = from; offset < bytes.length; offset += chunkBytes)
      this.#statements.addChunk.run(blobId, offset, bytes.subarray(offset, offset + chunkBytes));
  }

  grow(threadId: string, user: BlobUser): GrowingText {
    return newGrowingText(threadId, user);
  }

  /** Adds to the end. `text` must be well formed: bytes cannot hold half a character. */
  append(growing: GrowingText, text: string): void {
    const { addChunk, joinChunk } = this.#statements;
    const blobId = (growing.blobId ??= this.#create(growing));
    forEachPiece(text, (piece) => {
      growing.hash?.update(piece);
      if (growing.size > 0 && growing.lastSize + piece.length <= joinBytes) {
        joinChunk.run(piece, blobId, growing.lastOffset);
        growing.lastSize += piece.length;
      } else {
        addChunk.run(blobId, growing.size, piece);
        growing.lastOffset = growing.size;
        growing.lastSize = piece.length;
      }
      growing.size += piece.length;
    });
  }

  /** Continues a text that grew before, also before a restart. */
  resume(threadId: string, user: BlobUser, blobId: number | null): GrowingText {
    const known = blobId === null ? undefined : this.#growing.get(blobId);
    if (known !== undefined) return known;
    const last = blobId === null ? undefined : this.#statements.lastChunk.get(blobId);
    if (last === undefined) return { ...newGrowingText(threadId, user), blobId };
    const lastOffset = integer(last, "offset");
    const lastSize = integer(last, "size");
    return { threadId, user, blobId, size: lastOffset + lastSize, lastOffset, lastSize, hash: null };
  }

  /**
   * The end of growing: the text has its hash now. If something else is the same text, it is stored once: `replace` when
   * the id of the grown one is not used yet, `alias` when the log points to it.
   */
  seal(growing: GrowingText, ifKnown: "replace" | "alias"): SealedBlob {
    const { size, threadId, user } = growing;
    const blobId = (growing.blobId ??= this.#create(growing));
    const sealed = this.reader.byId(blobId);
    if (sealed !== null && sealed.hash !== null) return { ...sealed, hash: sealed.hash };
    const hash = (growing.hash ?? this.#hash(blobId)).digest("hex");
    growing.hash = null;
    this.#growing.delete(blobId);
    const same = this.reader.byHash(hash);
    if (same === null) {
      this.#statements.seal.run(hash, size, blobId);
      return { id: blobId, storedIn: blobId, hash, size };
    }
    this.#statements.use.run(threadId, same.id, user);
    if (ifKnown === "replace") this.discard(growing);
    else {
      this.#statements.dropChunks.run(blobId);
      this.#statements.alias.run(same.id, size, blobId);
    }
    return { ...same, hash };
  }

  readAll(growing: GrowingText): string {
    if (growing.blobId === null) return "";
    const pieces = this.#statements.chunks.all(growing.blobId).map((row) => bytesOf(row, "bytes"));
    return Buffer.concat(pieces).toString("utf8");
  }

  readStart(growing: GrowingText, size: number): string {
    const blob = growing.blobId === null ? null : this.reader.byId(growing.blobId);
    return blob === null ? "" : this.reader.text(blob, 0, size);
  }

  discard(growing: GrowingText): void {
    const { blobId, threadId, user } = growing;
    if (blobId === null) return;
    this.#statements.dropUse.run(threadId, blobId, user);
    this.#statements.drop.run(blobId);
    this.#growing.delete(blobId);
    growing.blobId = null;
  }

  /** Forgets what grew: it was not stored. */
  reset(): void {
    this.#growing.clear();
  }

  #create(growing: GrowingText): number {
    const id = integer(this.#statements.create.get(null, 0, null) ?? {}, "id");
    this.#statements.use.run(growing.threadId, id, growing.user);
    this.#growing.set(id, growing);
    const [oldest] = this.#growing.size > maxRemembered ? this.#growing.keys() : [];
    if (oldest !== undefined) this.#growing.delete(oldest);
    return id;
  }

  #hash(blobId: number): Hash {
    const hash = createHash("sha256");
    for (const row of this.#statements.chunks.iterate(blobId)) hash.update(bytesOf(row, "bytes"));
    return hash;
  }
}

/** Used for every piece: it is stored before the next is written into it. */
const scratch = Buffer.allocUnsafe(chunkBytes);

/** Encodes a text in pieces of at most one chunk, so that a huge one never lies twice in memory. */
function forEachPiece(text: string, receive: (piece: Uint8Array) => void): void {
  // A UTF-16 unit is at most three bytes.
  const step = Math.floor(chunkBytes / 3) - 1;
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + step);
    if (end < text.length && isHighSurrogate(text, end - 1)) end++;
    receive(scratch.subarray(0, scratch.write(text.slice(start, end), "utf8")));
    start = end;
  }
}

export function isHighSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800;
}
