// Reads fields of imported histories, which may be missing or of another type.
import { type JsonObject, readText, toFields } from "@signalbox/protocol";

export function readObject(object: JsonObject, name: string): JsonObject {
  return toFields(object[name]);
}

export function readNumber(object: JsonObject, name: string): number {
  const value = object[name];
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** In milliseconds since 1970; null if the field is not a valid time. */
export function readTime(object: JsonObject, name: string): number | null {
  const time = Date.parse(readText(object, name) ?? "");
  return Number.isNaN(time) ? null : time;
}

/** Returns an empty object if the text is not a JSON object. */
export function parseObject(text: string): JsonObject {
  try {
    return toFields(JSON.parse(text));
  } catch {
    return {};
  }
}
