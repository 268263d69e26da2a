// Makes the value that a row shows: of each long text the beginning, and in `_meta` where the whole is. That is `signalbox/blob` in a text
// block, and `signalbox/blobs` by field name in any other object.
import type { Json, JsonObject } from "@signalbox/protocol";
import { isJsonObject, toFields } from "@signalbox/protocol";
import { type BlobReader, nameBlob } from "../blobs/blob-reader.ts";
import { blobThreshold, previewBytes } from "../blobs/limits.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { isLongText, type LongText } from "../log/long-text.ts";

export const blobKey = "signalbox/blob";
export const blobsKey = "signalbox/blobs";

/** The event's value with previews in place of its long texts. */
export function buildPreview(event: LoggedEvent, blobs: BlobReader): Json {
  return previewPart(event.value, event, blobs);
}

/** The same for a part of the event's value. */
export function previewPart(value: Json, event: LoggedEvent, blobs: BlobReader): Json {
  return event.refs.length === 0 ? value : preview(value, blobs);
}

/** A text of an event piece by piece, wherever it lies. */
export function* textPieces(text: string | LongText, blobs: BlobReader): Iterable<string> {
  const blob = typeof text === "string" ? null : blobs.byName(text.blob);
  if (typeof text === "string") yield text;
  else if (blob !== null) yield* blobs.pieces(blob, text.start, text.start + text.size);
}

function preview(value: Json, blobs: BlobReader): Json {
  if (isLongText(value)) {
    const { text, ref } = beginning(value, blobs);
    return ref === null ? text : { type: "text", text, _meta: { [blobKey]: ref } };
  }
  if (Array.isArray(value)) return value.map((item) => preview(item, blobs));
  return isJsonObject(value) ? previewObject(value, blobs) : value;
}

function previewObject(value: JsonObject, blobs: BlobReader): JsonObject {
  const fields: Record<string, Json> = {};
  const refs: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    if (!isLongText(field)) {
      fields[key] = preview(field, blobs);
      continue;
    }
    const { text, ref } = beginning(field, blobs);
    fields[key] = text;
    if (ref !== null) refs[key] = ref;
  }
  if (Object.keys(refs).length === 0) return fields;
  const { text, ...others } = refs;
  const isText = value.type === "text" && text !== undefined;
  const rest = isText ? others : refs;
  const { _meta: known } = fields;
  const meta = {
    ...toFields(known),
    ...(isText ? { [blobKey]: text } : {}),
    ...(Object.keys(rest).length === 0 ? {} : { [blobsKey]: rest }),
  };
  return { ...fields, _meta: meta };
}

/** Returns the beginning of a long text as a row stores it, and where the whole is; null if this is the whole. */
export function beginning(long: LongText, blobs: BlobReader): { readonly text: string; readonly ref: BlobRef | null } {
  const blob = blobs.byName(long.blob);
  if (blob === null) throw new Error(`the log needs blob ${long.blob}, which is gone`);
  const isShort = long.size <= blobThreshold;
  const text = blobs.text(blob, long.start, long.start + Math.min(long.size, isShort ? blobThreshold : previewBytes));
  return { text, ref: isShort ? null : { hash: nameBlob(blob), size: long.size } };
}

type BlobRef = { readonly hash: string; readonly size: number };
