// Decides which updates are plain text chunks, and which two of them can be merged without loss: every field except the text must be equal,
// and none may have a number that parsing could have changed.
import {
  isJsonObject,
  isTextBlock,
  type JsonObject,
  type MessageChunk,
  type TextBlock,
  type Update,
} from "@signalbox/protocol";

/** A chunk of which the text is all that counts. */
export interface TextChunk extends MessageChunk {
  readonly content: TextBlock;
}

export function isTextChunk(update: Update): update is TextChunk {
  return update.type === "message_chunk" && isTextBlock(update.content);
}

/** True when the two differ in nothing but their text. */
export function canMerge(first: TextChunk, next: TextChunk): boolean {
  return (
    // A merged event says so in `chunks`: an agent's own field of that name must not be overwritten.
    first.raw.chunks === undefined &&
    isEqualIgnoring(first.raw, next.raw, "update") &&
    isEqualIgnoring(first.fields, next.fields, "content") &&
    isEqualIgnoring(first.content, next.content, "text")
  );
}

function isEqualIgnoring(first: JsonObject, next: JsonObject, beside: string): boolean {
  let fields = 0;
  for (const key in first) {
    if (key !== beside && !equal(first[key], next[key])) return false;
    fields++;
  }
  for (const _ in next) fields--;
  return fields === 0;
}

/** Deeper than this, two values are not compared: chunks are shallow, and an agent must not overflow our stack. */
const maxDepth = 16;

function equal(first: unknown, next: unknown, depth = 0): boolean {
  if (typeof first === "number") return first === next && Number.isSafeInteger(first);
  if (first === next) return true;
  if (depth > maxDepth) return false;
  if (Array.isArray(first)) {
    if (!Array.isArray(next) || first.length !== next.length) return false;
    return first.every((item, index) => equal(item, next[index], depth + 1));
  }
  return isJsonObject(first) && isJsonObject(next) && equalFields(first, next, depth + 1);
}

function equalFields(first: JsonObject, next: JsonObject, depth: number): boolean {
  const keys = Object.keys(first);
  if (keys.length !== Object.keys(next).length) return false;
  return keys.every((key) => Object.hasOwn(next, key) && equal(first[key], next[key], depth));
}
