// Reads the arguments of a query: what is wrong is refused with a sentence that names it.
import type { JsonObject } from "@signalbox/protocol";
import { RegisterError } from "../register.ts";

const DEFAULT_LIMIT = 50;
const MOST = 1000;

export function limitOf(args: JsonObject): number {
  return Math.min(MOST, Math.max(1, numberOf(args, "limit") ?? DEFAULT_LIMIT));
}

export function numberOf(args: JsonObject, name: string): number | null {
  const value = args[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw bad(name, "a whole number from 0");
  return value;
}

export function stringOf(args: JsonObject, name: string): string | null {
  const value = args[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw bad(name, "a string");
  return value;
}

export function booleanOf(args: JsonObject, name: string): boolean | null {
  const value = args[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== "boolean") throw bad(name, "true or false");
  return value;
}

export function threadIdOf(args: JsonObject): string {
  const id = stringOf(args, "thread_id");
  if (id === null) throw bad("thread_id", "the id of a thread");
  return id;
}

/** A cursor is the position where the next page begins, as an opaque string. */
export function toCursor(position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

export function cursorOf(args: JsonObject): readonly (string | number)[] | null {
  const cursor = stringOf(args, "cursor");
  if (cursor === null) return null;
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(position) && position.every((part) => typeof part === "string" || typeof part === "number")) {
      return position;
    }
  } catch {
    // Not ours: refused below.
  }
  throw bad("cursor", "the next_cursor of an earlier answer");
}

export function bad(name: string, expected: string): RegisterError {
  return new RegisterError("bad_request", `${name} must be ${expected}.`);
}
