// Collects the words of a JSON value: every string that a person could search for, without keys, `_meta` and encoded media.
import type { Json } from "@signalbox/protocol";
import { isJsonObject, readText } from "@signalbox/protocol";
import { blobKey, blobsKey } from "../projection/big-values.ts";

/** More words than this of one item are not indexed with it; big texts are indexed in slices of their own. */
const maxWordLength = 64 * 1024;
const maxDepth = 12;

export function searchableText(values: readonly Json[]): string {
  const found = new Set<string>();
  let length = 0;
  const visit = (value: Json, depth: number): void => {
    if (length >= maxWordLength || depth > maxDepth) return;
    if (typeof value === "string") {
      // Output often stands in an update twice; its words are needed once.
      if (!found.has(value)) length += value.length;
      found.add(value);
    } else if (Array.isArray(value)) {
      for (const item of value) visit(item, depth + 1);
    } else if (isJsonObject(value)) {
      const isMedia = value.type === "image" || value.type === "audio" || "blob" in value;
      for (const [key, field] of Object.entries(value)) {
        const isSkipped = key === "_meta" || key === "type" || (isMedia && (key === "data" || key === "blob"));
        if (!isSkipped && !isPreview(value, key)) visit(field ?? null, depth + 1);
      }
    }
  };
  for (const value of values) visit(value, 0);
  return [...found].join("\n").slice(0, maxWordLength).toWellFormed();
}

/** The beginning of a big text: the whole is indexed from its blob. */
function isPreview(object: Record<string, Json | undefined>, key: string): boolean {
  const { _meta: meta } = object;
  if (!isJsonObject(meta)) return false;
  if (key === "text" && blobKey in meta) return true;
  const { [blobsKey]: refs } = meta;
  return isJsonObject(refs) && key in refs;
}

/** The blobs that a value points to, by name. */
export function blobNames(values: readonly Json[]): string[] {
  const names = new Set<string>();
  const visit = (value: Json, depth: number): void => {
    if (depth > maxDepth) return;
    if (Array.isArray(value)) for (const item of value) visit(item, depth + 1);
    if (!isJsonObject(value)) return;
    const { _meta: meta } = value;
    if (isJsonObject(meta)) {
      const { [blobsKey]: refs } = meta;
      // The base64 of a picture has no words.
      const isMedia = value.type === "image" || value.type === "audio";
      const named = isJsonObject(refs) && !isMedia ? Object.values(refs) : [];
      for (const ref of [meta[blobKey], ...named]) {
        const hash = readText(ref, "hash");
        if (hash !== null) names.add(hash);
      }
    }
    for (const [key, field] of Object.entries(value)) if (key !== "_meta") visit(field ?? null, depth + 1);
  };
  for (const value of values) visit(value, 0);
  return [...names];
}
