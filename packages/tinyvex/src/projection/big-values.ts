// A value as a row shows it: each big string is its beginning, and beside it in `_meta` where the whole lies.
// In a text block that is `signalbox/blob`; for any other field of an object `signalbox/blobs`, by the field's name.
import type { Json, JsonObject } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
import { type BlobReader, nameOf } from "../blobs/blob-reader.ts";
import { PREVIEW_BYTES } from "../blobs/limits.ts";
import type { Cut } from "../log/cut.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { bigText, isBigCut } from "../log/payload-packing.ts";

export const BLOB_KEY = "signalbox/blob";
export const BLOBS_KEY = "signalbox/blobs";

/** The event's value with previews in place of its big strings. */
export function shownValue(event: LoggedEvent, blobs: BlobReader): Json {
  return showBig(event.value, event, blobs);
}

/** The same for a part of the event's value. */
export function showBig(value: Json, event: LoggedEvent, blobs: BlobReader): Json {
  return event.cuts.some(isBigCut) ? show(value, event.cuts, blobs) : value;
}

/** A text of the event piece by piece, wherever it lies. */
export function* textPieces(event: LoggedEvent, value: string, blobs: BlobReader): Iterable<string> {
  const cut = bigText(event.cuts, value);
  const blob = cut === null ? null : blobs.byId(cut.blobId);
  if (cut === null || blob === null) yield value;
  else yield* blobs.pieces(blob, cut.start, cut.end);
}

function show(value: Json, cuts: readonly Cut[], blobs: BlobReader): Json {
  if (typeof value === "string") {
    const big = preview(value, cuts, blobs);
    return big === null ? value : { type: "text", text: big.text, _meta: { [BLOB_KEY]: big.ref } };
  }
  if (Array.isArray(value)) return value.map((item) => show(item, cuts, blobs));
  return isJsonObject(value) ? showObject(value, cuts, blobs) : value;
}

function showObject(value: JsonObject, cuts: readonly Cut[], blobs: BlobReader): JsonObject {
  const shown: Record<string, Json> = {};
  const refs: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const big = typeof field === "string" ? preview(field, cuts, blobs) : null;
    if (big !== null) refs[key] = big.ref;
    shown[key] = big === null ? show(field, cuts, blobs) : big.text;
  }
  if (Object.keys(refs).length === 0) return shown;
  const { text, ...others } = refs;
  const isText = value["type"] === "text" && text !== undefined;
  const rest = isText ? others : refs;
  const meta = {
    ...(isJsonObject(shown["_meta"]) ? shown["_meta"] : {}),
    ...(isText ? { [BLOB_KEY]: text } : {}),
    ...(Object.keys(rest).length === 0 ? {} : { [BLOBS_KEY]: rest }),
  };
  return { ...shown, _meta: meta };
}

function preview(value: string, cuts: readonly Cut[], blobs: BlobReader): { text: string; ref: Json } | null {
  const cut = bigText(cuts, value);
  const blob = cut === null ? null : blobs.byId(cut.blobId);
  if (cut === null || blob === null) return null;
  const text = blobs.text(blob, cut.start, Math.min(cut.end, cut.start + PREVIEW_BYTES));
  return { text, ref: { hash: nameOf(blob), size: cut.end - cut.start } };
}

/** Every reference to a blob gets the name that `rename` gives it. */
export function renameBlobs(value: Json, rename: (name: string) => string): Json {
  if (Array.isArray(value)) return value.map((item) => renameBlobs(item, rename));
  if (!isJsonObject(value)) return value;
  const renamed: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    if (key === BLOB_KEY) renamed[key] = renameRef(field, rename);
    else if (key === BLOBS_KEY && isJsonObject(field)) {
      renamed[key] = Object.fromEntries(
        Object.entries(field).map(([name, ref]) => [name, renameRef(ref ?? null, rename)]),
      );
    } else renamed[key] = renameBlobs(field, rename);
  }
  return renamed;
}

function renameRef(ref: Json, rename: (name: string) => string): Json {
  if (!isJsonObject(ref) || typeof ref["hash"] !== "string") return ref;
  return { ...ref, hash: rename(ref["hash"]) };
}
