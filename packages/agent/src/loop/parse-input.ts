// Validates the input of a tool. Small models send numbers, booleans and lists as text, and many models the names of other agents: what is
// clearly meant is taken as such.
import { isFields } from "@signalbox/rules";
import type { z } from "zod";
import { withOurNames } from "../tools/other-names.ts";
import type { Tool } from "../tools/tool.ts";

type ParsedInput<T> =
  /** `input` is what was sent, or what is meant by it: rules and the person decide about that. `unknown` are names that mean nothing. */
  | { readonly success: true; readonly data: T; readonly input: unknown; readonly unknown: readonly string[] }
  | { readonly success: false; readonly error: z.ZodError<T> };

type ToolForms<T> = Pick<Tool<T>, "input" | "otherNames" | "acceptForm">;

const writtenAsText: ReadonlySet<string> = new Set(["number", "int", "boolean", "array", "object"]);

export function parseInput<T>(
  { input: schema, otherNames: others = {}, acceptForm = (fields) => fields }: ToolForms<T>,
  sent: unknown,
): ParsedInput<T> {
  const rename = (value: unknown) => withOurNames(schema, others, isFields(value) ? acceptForm(value) : value);
  const named = rename(sent);
  const first = schema.safeParse(named.input);
  if (first.success) return { success: true, data: first.data, ...named };
  const wrongTypes = first.error.issues.filter(
    (issue) => issue.code === "invalid_type" && writtenAsText.has(issue.expected),
  );
  const read = wrongTypes.reduce<unknown>((value, { path }) => parseJsonAtPath(value, path), named.input);
  const again = rename(read);
  const unknown = [...new Set([...named.unknown, ...again.unknown])];
  const second = schema.safeParse(again.input);
  return second.success
    ? { success: true, data: second.data, input: again.input, unknown }
    : { success: false, error: first.error };
}

/** The value with the text at this path read as JSON; the same value where it is none. */
function parseJsonAtPath(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return readJson(value);
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return value;
  const inner = parseJsonAtPath((value as Record<PropertyKey, unknown>)[key], rest);
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner };
}

function readJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  // Python's way to write it.
  const text = /^\s*(True|False)\s*$/.test(value) ? value.toLowerCase() : value;
  try {
    return JSON.parse(text);
  } catch {
    return value;
  }
}
