// Defines JSON values and how deep they may be nested, and what every package needs of values whose type is not known.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export type JsonObject = { readonly [key: string]: Json | undefined };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const noFields: JsonObject = Object.freeze({});

/** The fields of an object; none of anything else. */
export function toFields(value: unknown): JsonObject {
  return isJsonObject(value) ? value : noFields;
}

/** A text field; null where there is no such field, or it is something else. */
export function readText(value: unknown, name: string): string | null {
  const field = toFields(value)[name];
  return typeof field === "string" ? field : null;
}

/** The objects in a list; none of anything else. */
export function readObjects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Deeper values are refused: code that reads them recursively, JSON.stringify included, would run out of stack. */
export const maxJsonDepth = 500;

/** Whether a parsed value is nested deeper than `maxJsonDepth`. */
export function isNestedTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth >= maxJsonDepth) return true;
  // Every update comes through here: a list of the children would cost more than looking at them.
  if (isJsonObject(value)) for (const key in value) if (isNestedTooDeep(value[key], depth + 1)) return true;
  return Array.isArray(value) && value.some((child) => isNestedTooDeep(child, depth + 1));
}

/** For the default of a switch over a union: it does not compile when a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
