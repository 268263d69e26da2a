// Reads fields of imported histories, which may be missing or of another type.
import { isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";

export function textOf(object: JsonObject, name: string): string | null {
  const value = object[name];
  return typeof value === "string" ? value : null;
}

export function objectOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

export function numberOf(object: JsonObject, name: string): number {
  const value = object[name];
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Milliseconds since 1970; null when there is no such time. */
export function timeOf(object: JsonObject, name: string): number | null {
  const time = Date.parse(textOf(object, name) ?? "");
  return Number.isNaN(time) ? null : time;
}

/** JSON in a text, as far as it is an object. */
export function parsedObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
