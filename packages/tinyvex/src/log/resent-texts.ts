// Agents re-send the whole output of a running tool call with every update, as one text or as a list. What comes is compared
// with what came before, and only what is new is stored. The first copy stays in its event: most come only once.
import type { BlobRecord } from "../blobs/blob-reader.ts";
import { type BlobStore, type GrowingText, isHighSurrogate } from "../blobs/blob-store.ts";
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

/** The JSON of a call's last update, and how much of it came twice and is stored. */
interface KnownJson {
  readonly json: string;
  readonly growing: GrowingText;
  readonly stored: number;
}

/** Shorter JSON is kept as it is; longer is not remembered. */
export const SHORTEST_JSON = 4096;
const LONGEST_JSON = 512 * 1024;

export class ResentTexts {
  readonly #blobs: BlobStore;
  /** By thread and call, the most recently used last. */
  readonly #calls = new Map<string, Known[]>();
  readonly #jsons = new Map<string, KnownJson>();
  #latest: { readonly threadId: string; readonly toolCallId: string; readonly texts: Known[] } | null = null;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /** Where a text lies that is the same as one before, or goes on where it ended. */
  find(threadId: string, toolCallId: string, payload: string, token: StringToken): Place | null {
    const texts = this.#texts(threadId, toolCallId);
    let index = texts.length - 1;
    let known = texts[index];
    while (known !== undefined && !this.#isBeginning(known, payload, token)) known = texts[--index];
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

  /**
   * How much of the JSON of an update is as it was in the one before (a list that was sent again with one entry more), and
   * where that lies; null when it is too little to be worth it.
   */
  findBeginning(threadId: string, toolCallId: string, json: string): { length: number; place: Place } | null {
    if (json.length < SHORTEST_JSON || json.length > LONGEST_JSON) return null;
    const key = keyOf(threadId, toolCallId);
    const known = this.#jsons.get(key);
    const length = known === undefined ? 0 : sharedLength(known.json, json);
    const isWorthIt = length >= json.length / 2;
    const goesOn = known !== undefined && isWorthIt && length >= known.stored;
    const growing = goesOn ? known.growing : this.#blobs.grow(threadId, "log");
    if (isWorthIt) this.#blobs.append(growing, json.slice(goesOn ? known.stored : 0, length));
    this.#jsons.delete(key);
    this.#jsons.set(key, { json, growing, stored: isWorthIt ? length : 0 });
    const [oldest] = this.#jsons.size > CALLS ? this.#jsons.keys() : [];
    if (oldest !== undefined) this.#jsons.delete(oldest);
    if (!isWorthIt || growing.blobId === null) return null;
    return { length, place: { blobId: growing.blobId, start: 0, end: growing.size } };
  }

  forget(threadId: string, toolCallId: string): void {
    const key = keyOf(threadId, toolCallId);
    this.#calls.delete(key);
    this.#jsons.delete(key);
    this.#latest = null;
  }

  clear(): void {
    this.#calls.clear();
    this.#jsons.clear();
    this.#latest = null;
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

  /** A call's texts; almost always of the call that was asked for last. */
  #texts(threadId: string, toolCallId: string): Known[] {
    const latest = this.#latest;
    if (latest !== null && latest.toolCallId === toolCallId && latest.threadId === threadId) return latest.texts;
    const key = keyOf(threadId, toolCallId);
    const texts = this.#calls.get(key) ?? [];
    this.#latest = { threadId, toolCallId, texts };
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

/** How long two texts are the same from their beginnings; never half a character. */
function sharedLength(known: string, json: string): number {
  let same = 0;
  let different = Math.min(known.length, json.length) + 1;
  while (different - same > 1) {
    const middle = (same + different) >> 1;
    if (known.startsWith(json.slice(same, middle), same)) same = middle;
    else different = middle;
  }
  return same > 0 && isHighSurrogate(json, same - 1) ? same - 1 : same;
}
