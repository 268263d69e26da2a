// Reads arguments that a model made: nothing about their shape is certain.
import type { Fields } from "@signalbox/rules";

/** The first of these fields that is a string with something in it. */
export function textField(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
