// How a payload lies in the log when part of it is big or was sent before: the JSON text with those strings cut out, and
// beside it where each was and in which blob it is. Putting them back gives the same JSON.
import { randomBytes } from "node:crypto";
import type { Json } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import { BLOB_THRESHOLD } from "../blobs/limits.ts";
import { parseJson } from "../database/row.ts";
import { LONG_STRING, longStrings, type StringToken } from "../json/json-scan.ts";
import { decodeString, encodeInside, isWellFormedString } from "../json/json-strings.ts";
import type { Cut, Place } from "./cut.ts";
import { ResentTexts, SHORTEST_JSON } from "./resent-texts.ts";

export interface Packed {
  readonly payload: string;
  readonly cuts: readonly Cut[];
  /** The payload as a projection sees it: big strings are marks that `bigText` knows. */
  readonly value: Json;
}

/** In a projection's value a big string is this mark and the number of its cut; no agent can guess it. */
const MARK = `\ue002${randomBytes(12).toString("hex")}:`;

const NO_CUTS: readonly Cut[] = [];

export function bigText(cuts: readonly Cut[], value: Json | undefined): Cut | null {
  if (typeof value !== "string" || !value.startsWith(MARK)) return null;
  return cuts[Number(value.slice(MARK.length))] ?? null;
}

export function isBigCut(cut: Cut): boolean {
  return cut.as === "string" && cut.end - cut.start > BLOB_THRESHOLD;
}

/** A UTF-16 unit is at most three bytes. */
const SURELY_SMALL = BLOB_THRESHOLD / 3;

function isBig(text: string): boolean {
  return text.length > SURELY_SMALL && Buffer.byteLength(text) > BLOB_THRESHOLD;
}

export interface Packable {
  readonly threadId: string;
  readonly payload: string;
  readonly value: Json;
  readonly toolCallId: string | null;
  /** The long strings of the payload, where they are known already. */
  readonly strings?: readonly StringToken[] | undefined;
}

export class PayloadPacker {
  readonly #blobs: BlobStore;
  readonly #resent: ResentTexts;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
    this.#resent = new ResentTexts(blobs);
  }

  /** `toolCallId`: the open tool call that the payload tells of, whose texts may come again. */
  pack({ threadId, payload, value, toolCallId, strings }: Packable): Packed {
    const canBeResent = toolCallId !== null && payload.length > LONG_STRING;
    if (!canBeResent && payload.length <= SURELY_SMALL) return { payload, cuts: NO_CUTS, value };
    const cuts: Cut[] = [];
    let stored = "";
    let done = 0;
    for (const token of strings ?? longStrings(payload)) {
      const place = this.#place(threadId, payload, token, canBeResent ? toolCallId : null);
      if (place === null) continue;
      stored += payload.slice(done, token.start);
      cuts.push({ at: stored.length, ...place, as: "string" });
      done = token.end;
    }
    if (cuts.length === 0 && payload.length <= SHORTEST_JSON) return { payload, cuts, value };
    stored += payload.slice(done);
    const shown = cuts.some(isBigCut) ? parseJson(unpack(stored, cuts, this.#blobs.reader, "mark")) : value;
    const beginning = canBeResent ? this.#resent.findBeginning(threadId, toolCallId, stored) : null;
    if (beginning !== null) {
      const payloadEnd = stored.slice(beginning.length);
      return { payload: payloadEnd, cuts: [...cuts, { at: 0, ...beginning.place, as: "json" }], value: shown };
    }
    if (!isBig(stored)) return { payload: stored, cuts, value: shown };
    const { id, size } = this.#blobs.put(threadId, "log", stored);
    return { payload: "", cuts: [...cuts, { at: 0, blobId: id, start: 0, end: size, as: "json" }], value: shown };
  }

  /** The tool call has ended: its texts will not come again. */
  forget(threadId: string, toolCallId: string): void {
    this.#resent.forget(threadId, toolCallId);
  }

  /** Nothing that was remembered is surely stored. */
  reset(): void {
    this.#resent.clear();
    this.#blobs.reset();
  }

  #place(threadId: string, payload: string, token: StringToken, toolCallId: string | null): Place | null {
    if (toolCallId !== null) {
      const known = this.#resent.find(threadId, toolCallId, payload, token);
      if (known !== null) return known;
    }
    const { start, end } = token;
    const isBigText = end - start > SURELY_SMALL && isBig(payload.slice(start, end));
    if (isBigText && !isWellFormedString(payload, token)) return null;
    if (toolCallId !== null) return this.#resent.add(threadId, toolCallId, payload, token, isBigText);
    return isBigText ? this.#put(threadId, payload, token) : null;
  }

  #put(threadId: string, payload: string, token: StringToken): Place {
    const growing = this.#blobs.grow(threadId, "log");
    decodeString(payload, token, (piece) => this.#blobs.append(growing, piece));
    const { id, size } = this.#blobs.seal(growing, "replace");
    return { blobId: id, start: 0, end: size };
  }
}

/** Puts the cuts back: every string, or with `mark` only the small ones, and marks for the big. */
export function unpack(stored: string, cuts: readonly Cut[], blobs: BlobReader, big: "text" | "mark"): string {
  const beginning = cuts.find(({ as }) => as === "json");
  const source = beginning === undefined ? stored : readCut(beginning, blobs) + stored;
  let payload = "";
  let done = 0;
  cuts.forEach((cut, index) => {
    if (cut === beginning) return;
    payload += source.slice(done, cut.at);
    payload += big === "mark" && isBigCut(cut) ? `${MARK}${index}` : encodeInside(readCut(cut, blobs));
    done = cut.at;
  });
  return payload + source.slice(done);
}

function readCut({ blobId, start, end }: Cut, blobs: BlobReader): string {
  const blob = blobs.byId(blobId);
  if (blob === null) throw new Error(`the log needs blob ${blobId}, which is gone`);
  return blobs.range(blob, start, end).toString("utf8");
}

export function cutsToColumn(cuts: readonly Cut[]): string | null {
  if (cuts.length === 0) return null;
  return JSON.stringify(cuts.map(({ at, blobId, start, end, as }) => [at, blobId, start, end, as]));
}

export function cutsFromColumn(column: string | null): readonly Cut[] {
  if (column === null) return [];
  const rows: [number, number, number, number, Cut["as"]][] = JSON.parse(column);
  return rows.map(([at, blobId, start, end, as]) => ({ at, blobId, start, end, as }));
}
