// From words on the command line to typed flags. A flag nobody knows is an error that names the nearest one.
import type { Flag, Flags, FlagValues } from "./command.ts";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function parseFlags<F extends Flags>(words: readonly string[], flags: F): FlagValues<F> {
  const values: Record<string, boolean | number | string | undefined> = {};
  for (const [name, flag] of Object.entries(flags)) values[name] = flag.type === "boolean" ? false : undefined;
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith("--")) throw new UsageError(`"${word}" is one word too many.`);
    const [name, inline] = splitAtEquals(word.slice(2));
    const flag = flags[name];
    if (flag === undefined)
      throw new UsageError(`There is no flag --${name}.${suggest(name, Object.keys(flags), "--")}`);
    if (flag.type === "boolean") {
      if (inline !== undefined) throw new UsageError(`--${name} takes no value.`);
      values[name] = true;
    } else {
      const given = inline ?? rest.shift();
      if (given === undefined) throw new UsageError(`--${name} needs a value: --${name} ${flag.value}.`);
      values[name] = valueOf(name, flag, given);
    }
  }
  return values as FlagValues<F>;
}

/** " Did you mean X?", or nothing when no word is near. */
export function suggest(word: string, known: readonly string[], prefix = ""): string {
  const near = known
    .map((candidate) => ({ candidate, distance: distance(word, candidate) }))
    .filter(({ candidate, distance: steps }) => steps <= Math.max(1, Math.floor(candidate.length / 2)))
    .toSorted((a, b) => a.distance - b.distance)[0];
  return near === undefined ? "" : ` Did you mean ${prefix}${near.candidate}?`;
}

function valueOf(name: string, flag: Exclude<Flag, { type: "boolean" }>, given: string): string | number {
  if (flag.type === "number") {
    const number = Number(given);
    if (given.trim() === "" || !Number.isInteger(number) || number < flag.min || number > flag.max) {
      throw new UsageError(`--${name} is a number from ${flag.min} to ${flag.max}; "${given}" is not.`);
    }
    return number;
  }
  if (flag.choices !== undefined && !flag.choices.includes(given)) {
    throw new UsageError(
      `--${name} is one of ${flag.choices.join(", ")}; "${given}" is not.${suggest(given, flag.choices)}`,
    );
  }
  return given;
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
