// From words on the command line to typed flags and words. A flag nobody knows is an error that names the nearest one.
import type { Command, Flag, Flags, FlagValues, WordRules, Words } from "./command.ts";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface Arguments<F extends Flags> {
  readonly flags: FlagValues<F>;
  readonly words: Words;
}

type FlagValue = boolean | number | string | readonly string[] | undefined;

export function parseArguments<F extends Flags>(
  line: readonly string[],
  { flags, words: rules }: Pick<Command<F>, "flags" | "words">,
): Arguments<F> {
  const values: Record<string, FlagValue> = {};
  for (const [name, flag] of Object.entries(flags)) values[name] = absent(flag);
  const given: string[] = [];
  let after: readonly string[] | null = null;
  const rest = [...line];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      if (rules?.commandAfterDashes === true) after = rest.splice(0);
      else given.push(...rest.splice(0));
    } else if (word.startsWith("--")) {
      const [name, inline] = splitAtEquals(word.slice(2));
      const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
      if (flag === undefined)
        throw new UsageError(`There is no flag --${name}.${suggest(name, Object.keys(flags), "--")}`);
      values[name] = read(name, flag, values[name], () => inline ?? rest.shift(), inline !== undefined);
    } else if (word.startsWith("-") && word.length > 1) {
      throw new UsageError(
        `There is no flag ${word}: flags begin with two dashes.${suggest(word.slice(1), Object.keys(flags), "--")}`,
      );
    } else given.push(word);
  }
  checkWords(given, rules);
  return { flags: values as FlagValues<F>, words: { given, after } };
}

/** " Did you mean X?", or nothing when no word is near. */
export function suggest(word: string, known: readonly string[], prefix = ""): string {
  const near = known
    .map((candidate) => ({ candidate, distance: distance(word, candidate) }))
    .filter(({ candidate, distance: steps }) => steps <= Math.max(1, Math.floor(candidate.length / 2)))
    .toSorted((a, b) => a.distance - b.distance)[0];
  return near === undefined ? "" : ` Did you mean ${prefix}${near.candidate}?`;
}

function absent(flag: Flag): FlagValue {
  switch (flag.type) {
    case "boolean":
      return false;
    case "list":
      return [];
    case "string":
    case "number":
      return undefined;
  }
}

function read(
  name: string,
  flag: Flag,
  before: FlagValue,
  take: () => string | undefined,
  isInline: boolean,
): FlagValue {
  if (flag.type === "boolean") {
    if (isInline) throw new UsageError(`--${name} takes no value.`);
    return true;
  }
  const given = take();
  // An empty one is a variable that a script forgot to set; as a folder it would mean the one that we are in.
  if (given === undefined || given === "") throw new UsageError(`--${name} needs a value: --${name} ${flag.value}.`);
  switch (flag.type) {
    case "list":
      return [...(Array.isArray(before) ? (before as readonly string[]) : []), given];
    case "number":
      return numberOf(name, flag, given);
    case "string":
      if (flag.choices === undefined || flag.choices.includes(given)) return given;
      throw new UsageError(
        `--${name} is one of ${flag.choices.join(", ")}; "${given}" is not.${suggest(given, flag.choices)}`,
      );
  }
}

function numberOf(name: string, { min, max }: Extract<Flag, { type: "number" }>, given: string): number {
  const number = Number(given);
  if (given.trim() === "" || !Number.isInteger(number) || number < min || number > max) {
    throw new UsageError(`--${name} is a number from ${min} to ${max}; "${given}" is not.`);
  }
  return number;
}

function checkWords(given: readonly string[], rules: WordRules | undefined): void {
  const extra = given[rules?.max ?? 0];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one word too many.`);
  if (rules !== undefined && given.length < rules.min) throw new UsageError(`${rules.name} is missing.`);
}

function splitAtEquals(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** How many letters to insert, drop or change to get from one word to the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of from.split("").entries()) {
    const next = [i + 1];
    for (const [j, other] of to.split("").entries()) {
      const change = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
