// Reads payloads as versions up to 0.1 stored them: strings were removed from the JSON text, and `refs` has the position of each and its range
// in a blob. Nothing writes this form any more.
import { randomUUID } from "node:crypto";
import { isJsonObject, type Json } from "@signalbox/protocol";
import { type BlobReader, growingName } from "../blobs/blob-reader.ts";
import { blobThreshold } from "../blobs/limits.ts";
import { longText, pointerStep, replaceValue } from "./long-text.ts";

/** `at` in the stored text the bytes from `start` to `end` belong: inside the quotes of a string, or before all of it (`json`). */
type Removal = readonly [at: number, blobId: number, start: number, end: number, as: "string" | "json"];

export function isRemovals(refs: readonly unknown[]): refs is readonly Removal[] {
  return Array.isArray(refs[0]);
}

/** The value, long texts in place of its long strings, and the places (JSON Pointers) of those. */
export function unpack(
  stored: string,
  removals: readonly Removal[],
  blobs: BlobReader,
): { value: Json; refs: readonly string[]; size: number } {
  const first = removals.find(([, , , , as]) => as === "json");
  const source = first === undefined ? stored : readRemoved(first, blobs) + stored;
  const mark = unusedIn(source);
  const long: Removal[] = [];
  let json = "";
  let done = 0;
  for (const removal of removals) {
    if (removal === first) continue;
    const [at, , start, end] = removal;
    json += source.slice(done, at);
    json +=
      end - start > blobThreshold
        ? `${mark}${long.push(removal) - 1}`
        : JSON.stringify(readRemoved(removal, blobs)).slice(1, -1);
    done = at;
  }
  json += source.slice(done);
  const value: Json = JSON.parse(json);
  const refs: string[] = [];
  if (long.length > 0) findMarks(value, "", mark, refs);
  const filled = refs.reduce(
    (parsed, ref) => replaceValue(parsed, ref, (found) => toLongText(found, mark, long)),
    value,
  );
  return { value: filled, refs, size: json.length };
}

function toLongText(found: Json, mark: string, long: readonly Removal[]): Json {
  const removal = typeof found === "string" ? long[Number(found.slice(mark.length))] : undefined;
  if (removal === undefined) return found;
  const [, blobId, start, end] = removal;
  return longText(growingName(blobId), end - start, start);
}

function findMarks(value: Json, ref: string, mark: string, refs: string[]): void {
  if (typeof value === "string" && value.startsWith(mark)) refs.push(ref);
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) findMarks(item, `${ref}/${index}`, mark, refs);
  else if (isJsonObject(value)) {
    for (const [key, field] of Object.entries(value))
      findMarks(field ?? null, `${ref}/${pointerStep(key)}`, mark, refs);
  }
}

/** A text that does not occur in the payload. */
function unusedIn(source: string): string {
  let mark = randomUUID();
  while (source.includes(mark)) mark = randomUUID();
  return mark;
}

function readRemoved([, blobId, start, end]: Removal, blobs: BlobReader): string {
  const blob = blobs.byId(blobId);
  if (blob === null) throw new Error(`the log needs blob ${blobId}, which is gone`);
  return blobs.range(blob, start, end).toString("utf8");
}
