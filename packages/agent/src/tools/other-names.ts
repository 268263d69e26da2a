// Takes parameters under the names that models know from other agents (`file_path`, `old_str`, `cmd`), where it is sure what they mean.

import { type Fields, isFields } from "@signalbox/rules";
import { z } from "zod";

/**
 * By the name that was sent, in lower case, without `_` and `-`: the parameter that is meant; or the parameters to set in its place, undefined
 * where that is not sure; or null for one that changes nothing here.
 */
export type OtherNames = Readonly<
  Record<string, string | null | ((value: unknown, sent: Fields) => Fields | undefined)>
>;

/** How other agents name the path of a file, and that of a folder. */
export const fileNames: OtherNames = {
  filepath: "path",
  file: "path",
  filename: "path",
  absolutepath: "path",
  targetfile: "path",
};
export const folderNames: OtherNames = {
  dirpath: "path",
  dir: "path",
  directory: "path",
  directorypath: "path",
  folder: "path",
  targetdirectory: "path",
};
/** Words for the person that some agents ask for with each call. */
export const wordsForThePerson: OtherNames = { description: null, explanation: null, instruction: null };

interface RenamedCall {
  readonly input: unknown;
  /** Names that were sent and mean nothing here, each once. */
  readonly unknown: readonly string[];
}

/** The input with our names. What is sent under our name stays as it is; what may be left out and is null was left out. */
export function withOurNames(schema: z.ZodType, others: OtherNames, sent: unknown): RenamedCall {
  const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  if (inner instanceof z.ZodArray && Array.isArray(sent)) {
    const items = sent.map((item) => withOurNames(inner.element as z.ZodType, others, item));
    return { input: items.map(({ input }) => input), unknown: unique(items.flatMap(({ unknown }) => unknown)) };
  }
  if (!(inner instanceof z.ZodObject) || !isFields(sent)) return { input: sent, unknown: [] };
  const shape: Readonly<Record<string, z.ZodType>> = inner.shape;
  const input: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(sent)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (value === null && (field === undefined || field instanceof z.ZodOptional)) continue;
    if (field !== undefined) {
      const below = withOurNames(field, others, value);
      input[name] = below.input;
      unknown.push(...below.unknown);
      continue;
    }
    const resolved = resolveAlias(name, value, shape, others, sent);
    const isTaken = (each: string) => each !== name && (Object.hasOwn(sent, each) || Object.hasOwn(input, each));
    if (resolved === undefined || Object.keys(resolved).some(isTaken)) unknown.push(name);
    else Object.assign(input, resolved);
  }
  return { input, unknown: unique(unknown) };
}

/** For the model, after the result; empty where there is nothing to say. */
export function unknownNamesNote(tool: string, schema: z.ZodType, unknown: readonly string[]): string {
  if (unknown.length === 0 || !(schema instanceof z.ZodObject)) return "";
  const names = Object.keys(schema.shape).join(", ");
  return `Note: ${tool} has no parameter ${unknown.join(", ")}, so it was left out. It has: ${names}.`;
}

function resolveAlias(
  name: string,
  value: unknown,
  shape: Readonly<Record<string, z.ZodType>>,
  others: OtherNames,
  sent: Fields,
): Fields | undefined {
  const plain = plainName(name);
  const spelledOtherwise = Object.keys(shape).find((parameter) => plainName(parameter) === plain);
  const other = spelledOtherwise ?? (Object.hasOwn(others, plain) ? others[plain] : undefined);
  if (other === undefined) return undefined;
  if (other === null) return { [name]: value };
  if (typeof other === "function") return other(value, sent);
  return Object.hasOwn(shape, other) ? { [other]: value } : undefined;
}

export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
