// Turns a command line into typed flags and words. An unknown flag is an error that names the most similar one.
import { parseArgs } from "node:util";
import type { Command, Flag, Flags, FlagValues, WordRules, Words } from "./command.ts";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

interface Arguments<F extends Flags> {
  readonly flags: FlagValues<F>;
  readonly words: Words;
}

type FlagValue = boolean | number | string | readonly string[] | undefined;

/** Throws a UsageError when a flag or a word does not fit. */
export function parseArguments<F extends Flags>(
  line: readonly string[],
  { flags, words: rules }: Pick<Command<F>, "flags" | "words">,
): Arguments<F> {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type }]) => [name, { type: type === "boolean" ? type : ("string" as const) }]),
  );
  // Not strict: Node's own messages do not say what was probably meant.
  const { tokens } = parseArgs({ args: [...line], options, strict: false, allowPositionals: true, tokens: true });
  const values: Record<string, FlagValue> = {};
  for (const [name, flag] of Object.entries(flags)) values[name] = readValue(name, flag, []);
  const end = tokens.find(({ kind }) => kind === "option-terminator")?.index ?? line.length;
  const given: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional" && (token.index < end || rules?.commandAfterDashes !== true))
      given.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, inlineValue } = token;
    if (!rawName.startsWith("--")) throw unknownShortFlag(line[token.index] ?? rawName, flags);
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined)
      throw new UsageError(`There is no flag --${name}.${suggest(name, Object.keys(flags), "--")}`);
    if (flag.type === "boolean" && inlineValue === true) throw new UsageError(`--${name} takes no value.`);
    values[name] = readValue(name, flag, [...(flag.type === "list" ? readList(values[name]) : []), token.value]);
  }
  checkArguments(given, rules);
  const after = rules?.commandAfterDashes === true && end < line.length ? line.slice(end + 1) : null;
  return { flags: values as FlagValues<F>, words: { given, after } };
}

/** " Did you mean X?", or nothing when no known word is similar. */
export function suggest(word: string, known: readonly string[], prefix = ""): string {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 2)))
    .toSorted((a, b) => a.distance - b.distance);
  return nearest === undefined ? "" : ` Did you mean ${prefix}${nearest.candidate}?`;
}

function unknownShortFlag(word: string, flags: Flags): UsageError {
  const suggestion = suggest(word.slice(1), Object.keys(flags), "--");
  return new UsageError(`There is no flag ${word}: flags begin with two dashes.${suggestion}`);
}

/** `given`: every value so far for a list, else the last one; empty where the flag is absent. */
function readValue(name: string, flag: Flag, given: readonly (string | boolean | undefined)[]): FlagValue {
  if (flag.type === "boolean") return given.length > 0;
  if (given.length === 0) return flag.type === "list" ? [] : undefined;
  const last = given.at(-1);
  // An empty value is most likely a variable that a script forgot to set. As a folder it would mean the current one.
  if (typeof last !== "string" || last === "") {
    throw new UsageError(`--${name} needs a value: --${name} ${flag.value}.`);
  }
  switch (flag.type) {
    case "list":
      return readList(given);
    case "number":
      return parseNumber(name, flag, last);
    case "string":
      if (flag.choices === undefined || flag.choices.includes(last)) return last;
      throw new UsageError(
        `--${name} is one of ${flag.choices.join(", ")}; "${last}" is not.${suggest(last, flag.choices)}`,
      );
  }
}

function readList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function parseNumber(name: string, { min, max }: Extract<Flag, { type: "number" }>, given: string): number {
  const number = Number(given);
  if (given.trim() === "" || !Number.isInteger(number) || number < min || number > max) {
    throw new UsageError(`--${name} is a number from ${min} to ${max}; "${given}" is not.`);
  }
  return number;
}

function checkArguments(given: readonly string[], rules: WordRules | undefined): void {
  const extra = given[rules?.max ?? 0];
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}".`);
  if (rules !== undefined && given.length < rules.min) throw new UsageError(`${rules.name} is missing.`);
}

/** How many letters to insert, delete or replace to get from one word to the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of from.split("").entries()) {
    const next = [i + 1];
    for (const [j, other] of to.split("").entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
