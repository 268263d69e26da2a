// Reads blobs, grown or still growing, by range: only the pieces that the range touches are loaded.
import type { DatabaseSync } from "node:sqlite";
import { StringDecoder } from "node:string_decoder";
import { bytes, integer, integerOrNull, type Row, textOrNull } from "../database/row.ts";
import { chunkBytes } from "./limits.ts";

export interface BlobRecord {
  readonly id: number;
  /** The blob that has the bytes: this one, or one that begins with them. */
  readonly storedIn: number;
  readonly hash: string | null;
  readonly size: number;
}

export interface SealedBlob extends BlobRecord {
  readonly hash: string;
}

/** The name of a blob that still grows and has no hash yet: it can be read under it. */
const growingPrefix = "growing-";

export function growingName(id: number): string {
  return `${growingPrefix}${id}`;
}

export function nameBlob(blob: BlobRecord): string {
  return blob.hash ?? growingName(blob.id);
}

export class BlobReader {
  readonly #byHash;
  readonly #byId;
  readonly #chunks;
  readonly #end;

  constructor(database: DatabaseSync) {
    this.#byHash = database.prepare("SELECT id, hash, size, same_as FROM blobs WHERE hash = ?");
    this.#byId = database.prepare("SELECT id, hash, size, same_as FROM blobs WHERE id = ?");
    // From the last piece that begins at or before the range to the last that begins inside it.
    this.#chunks = database.prepare(
      `SELECT offset, bytes FROM blob_chunks WHERE blob_id = ?1 AND offset < ?3
         AND offset >= coalesce((SELECT max(offset) FROM blob_chunks WHERE blob_id = ?1 AND offset <= ?2), 0)
       ORDER BY offset`,
    );
    this.#end = database.prepare(
      "SELECT offset + length(bytes) AS size FROM blob_chunks WHERE blob_id = ? ORDER BY offset DESC LIMIT 1",
    );
  }

  byHash(hash: string): BlobRecord | null {
    const row = this.#byHash.get(hash);
    return row === undefined ? null : this.#record(row);
  }

  /** By hash, or by the name of one that still grows. */
  byName(name: string): BlobRecord | null {
    if (!name.startsWith(growingPrefix)) return this.byHash(name);
    const id = Number(name.slice(growingPrefix.length));
    return Number.isSafeInteger(id) ? this.byId(id) : null;
  }

  byId(id: number): BlobRecord | null {
    const row = this.#byId.get(id);
    if (row === undefined) return null;
    const sameAs = integerOrNull(row, "same_as");
    // One that grew to what another already held has no hash of its own.
    return sameAs === null || textOrNull(row, "hash") !== null ? this.#record(row) : this.byId(sameAs);
  }

  range(blob: BlobRecord, start: number, end: number): Buffer {
    const from = Math.max(0, start);
    const to = Math.min(end, blob.size);
    if (from >= to) return Buffer.alloc(0);
    const pieces: Uint8Array[] = [];
    for (const row of this.#chunks.iterate(blob.storedIn, from, to)) {
      const offset = integer(row, "offset");
      pieces.push(bytes(row, "bytes").subarray(Math.max(0, from - offset), to - offset));
    }
    return Buffer.concat(pieces);
  }

  /** A text piece by piece; no character is split. */
  *pieces(blob: BlobRecord, start: number, end: number): Iterable<string> {
    const decoder = new StringDecoder("utf8");
    for (let from = start; from < end; from += chunkBytes) {
      yield decoder.write(this.range(blob, from, Math.min(end, from + chunkBytes)));
    }
  }

  /** The text of a range; characters that the range splits are left out. */
  text(blob: BlobRecord, start: number, end: number): string {
    const piece = this.range(blob, start, end);
    return piece.toString("utf8", startOfCharacter(piece), endOfCharacters(piece));
  }

  #record(row: Row): BlobRecord {
    const id = integer(row, "id");
    const hash = textOrNull(row, "hash");
    if (hash !== null) return { id, storedIn: integerOrNull(row, "same_as") ?? id, hash, size: integer(row, "size") };
    return { id, storedIn: id, hash, size: this.findEnd(id) };
  }

  /** Where the pieces of a blob end. */
  findEnd(blobId: number): number {
    const end = this.#end.get(blobId);
    return end === undefined ? 0 : integer(end, "size");
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function startOfCharacter(piece: Uint8Array): number {
  let start = 0;
  while (start < 3 && isContinuation(piece[start])) start++;
  return start;
}

function endOfCharacters(piece: Uint8Array): number {
  let last = piece.length - 1;
  while (last > 0 && last > piece.length - 4 && isContinuation(piece[last])) last--;
  const lead = piece[last] ?? 0;
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return last + needed <= piece.length ? piece.length : last;
}
