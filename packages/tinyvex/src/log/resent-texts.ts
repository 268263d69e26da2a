// Agents re-send the whole output of a running tool call with every update. What such a text begins with is compared with
// what came before; only what is new is stored. The first copy stays in its event: most texts come only once.
import { createHash } from "node:crypto";
import type { BlobStore, GrowingText } from "../blobs/blob-store.ts";
import type { StringToken } from "../json/json-scan.ts";
import { decodeString, isWellFormedString } from "../json/json-strings.ts";
import type { Place } from "./payload-packing.ts";

/** A call's last texts that are remembered: output often stands in `content`, in `rawOutput` and in `_meta` at once. */
const TEXTS_PER_CALL = 4;
const CALLS = 64;
/** Longer texts are remembered by their digest, not in memory. */
const LONGEST_IN_MEMORY = 128 * 1024;

interface Known {
  /** Length of the literal, and the literal itself or its digest. */
  readonly length: number;
  readonly literal: string | null;
  readonly digest: string | null;
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
    const index = texts.findLastIndex((known) => isBeginning(known, payload, token));
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
  if (length > LONGEST_IN_MEMORY) return { length, literal: null, digest: digestOf(payload, start, end), growing };
  return { length, literal: payload.slice(start, end), digest: null, growing };
}

function isBeginning(known: Known, payload: string, { start, end }: StringToken): boolean {
  if (known.length > end - start) return false;
  if (known.literal !== null) return payload.startsWith(known.literal, start);
  return known.digest === digestOf(payload, start, start + known.length);
}

function digestOf(payload: string, start: number, end: number): string {
  const hash = createHash("sha256");
  const step = 64 * 1024;
  for (let from = start; from < end; from += step)
    hash.update(payload.slice(from, Math.min(end, from + step)), "utf16le");
  return hash.digest("hex");
}
