// Reads fields of imported histories, which may be missing or of another type.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";

export function readText(object: JsonObject, name: string): string | null {
  const value = object[name];
  return typeof value === "string" ? value : null;
}

export function readObject(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

export function readNumber(object: JsonObject, name: string): number {
  const value = object[name];
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function readObjects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** In milliseconds since 1970; null if the field is not a valid time. */
export function readTime(object: JsonObject, name: string): number | null {
  const time = Date.parse(readText(object, name) ?? "");
  return Number.isNaN(time) ? null : time;
}

/** Returns an empty object if the text is not a JSON object. */
export function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
