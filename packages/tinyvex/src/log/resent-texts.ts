// Agents re-send the whole output of a running tool call with every update. What such a text begins with is compared with
// what came before; only what is new is stored. The first copy stays in its event: most texts come only once.
import type { BlobRecord } from "../blobs/blob-reader.ts";
import type { BlobStore, GrowingText } from "../blobs/blob-store.ts";
import type { StringToken } from "../json/json-scan.ts";
import { decodeString, isWellFormedString } from "../json/json-strings.ts";
import type { Place } from "./cut.ts";

/** A call's last texts that are remembered: output often stands in `content`, in `rawOutput` and in `_meta` at once. */
const TEXTS_PER_CALL = 4;
const CALLS = 64;
/** Longer texts are not remembered: they are compared with what is stored. */
const LONGEST_IN_MEMORY = 128 * 1024;

interface Known {
  /** Length of the literal, and the literal itself unless it is long. */
  readonly length: number;
  readonly literal: string | null;
  /** Null as long as it came only once and is not big. */
  readonly growing: GrowingText | null;
}

export class ResentTexts {
  readonly #blobs: BlobStore;
  /** By thread and call, the most recently used last. */
  readonly #calls = new Map<string, Known[]>();
  #latest = "";

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /** Where a text lies that is the same as one before, or goes on where it ended. */
  find(threadId: string, toolCallId: string, payload: string, token: StringToken): Place | null {
    const texts = this.#texts(threadId, toolCallId);
    const index = texts.findLastIndex((known) => this.#isBeginning(known, payload, token));
    const known = texts[index];
    if (known === undefined || !isWellFormedString(payload, token)) return null;
    const growing = known.growing ?? this.#blobs.grow(threadId, "log");
    // What was not stored yet: everything, when the first copy lies in its event.
    const start = known.growing === null ? token.start : token.start + known.length;
    decodeString(payload, { start, end: token.end }, (piece) => this.#blobs.append(growing, piece));
    if (growing.blobId === null) return null;
    texts.splice(index, 1);
    texts.push(remember(payload, token, growing));
    return { blobId: growing.blobId, start: 0, end: growing.size };
  }

  /** A text that was not seen before; a big one is stored at once, another stays where it is. */
  add(threadId: string, toolCallId: string, payload: string, token: StringToken, isBig: boolean): Place | null {
    const texts = this.#texts(threadId, toolCallId);
    if (texts.length >= TEXTS_PER_CALL) texts.shift();
    if (!isBig) {
      texts.push(remember(payload, token, null));
      return null;
    }
    const growing = this.#blobs.grow(threadId, "log");
    decodeString(payload, token, (piece) => this.#blobs.append(growing, piece));
    texts.push(remember(payload, token, growing));
    return growing.blobId === null ? null : { blobId: growing.blobId, start: 0, end: growing.size };
  }

  forget(threadId: string, toolCallId: string): void {
    this.#calls.delete(keyOf(threadId, toolCallId));
  }

  clear(): void {
    this.#calls.clear();
  }

  #isBeginning({ length, literal, growing }: Known, payload: string, { start, end }: StringToken): boolean {
    if (length > end - start) return false;
    if (literal !== null) return payload.startsWith(literal, start);
    const blob = blobOf(growing, this.#blobs);
    if (blob === null) return false;
    let offset = 0;
    let isSame = true;
    decodeString(payload, { start, end: start + length }, (piece) => {
      if (!isSame) return;
      const bytes = Buffer.from(piece, "utf8");
      isSame = bytes.equals(this.#blobs.reader.range(blob, offset, offset + bytes.length));
      offset += bytes.length;
    });
    return isSame && offset === blob.size;
  }

  #texts(threadId: string, toolCallId: string): Known[] {
    const key = keyOf(threadId, toolCallId);
    const known = this.#calls.get(key);
    if (known !== undefined && this.#latest === key) return known;
    const texts = known ?? [];
    this.#latest = key;
    this.#calls.delete(key);
    this.#calls.set(key, texts);
    const [oldest] = this.#calls.size > CALLS ? this.#calls.keys() : [];
    if (oldest !== undefined) this.#calls.delete(oldest);
    return texts;
  }
}

function keyOf(threadId: string, toolCallId: string): string {
  return `${threadId}\n${toolCallId}`;
}

function remember(payload: string, { start, end }: StringToken, growing: GrowingText | null): Known {
  const length = end - start;
  return { length, literal: length > LONGEST_IN_MEMORY ? null : payload.slice(start, end), growing };
}

function blobOf(growing: GrowingText | null, blobs: BlobStore): BlobRecord | null {
  const blobId = growing?.blobId ?? null;
  return blobId === null ? null : blobs.reader.byId(blobId);
}
