// Decides which updates are plain text chunks, and which two of them can be merged without loss: every field except the text must be equal,
// and none may have a number that parsing could have changed.
import { isJsonObject, type JsonObject } from "@signalbox/protocol";

export type ChunkKind = "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk";

/** `session/update` params that carry one piece of text. */
export interface ChunkParams extends JsonObject {
  readonly update: JsonObject & {
    readonly sessionUpdate: ChunkKind;
    readonly content: JsonObject & { readonly type: "text"; readonly text: string };
  };
}

export function isChunkKind(kind: string): kind is ChunkKind {
  return kind === "agent_message_chunk" || kind === "agent_thought_chunk" || kind === "user_message_chunk";
}

export function isTextChunk(params: JsonObject): params is ChunkParams {
  const { update } = params;
  if (!isJsonObject(update) || typeof update.sessionUpdate !== "string") return false;
  if (!isChunkKind(update.sessionUpdate)) return false;
  const { content } = update;
  return isJsonObject(content) && content.type === "text" && typeof content.text === "string";
}

/** True when the two differ in nothing but their text. */
export function canMerge(first: ChunkParams, next: ChunkParams): boolean {
  return (
    // A merged event says so in `chunks`: an agent's own field of that name must not be overwritten.
    first.chunks === undefined &&
    equalBeside(first, next, "update") &&
    equalBeside(first.update, next.update, "content") &&
    equalBeside(first.update.content, next.update.content, "text")
  );
}

function equalBeside(first: JsonObject, next: JsonObject, beside: string): boolean {
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
