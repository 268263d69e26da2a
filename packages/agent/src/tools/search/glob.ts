// Matches globs on whole paths: `src/**/*.ts`, `*.{js,ts}`, `[a-c]?.md`. It uses no regular expression, so that no pattern is slow (ADR 8).

const maxAlternatives = 200;
const maxPatternLength = 1000;

export class GlobError extends Error {
  override readonly name = "GlobError";
}

/**
 * A matcher of relative paths. A pattern without a slash matches the name at any depth, as people expect of `*.ts`; `**` stands
 * for any number of folders, none included. Throws a GlobError that says what is wrong with the pattern.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  if (pattern.length > maxPatternLength)
    throw new GlobError(`The pattern is longer than ${maxPatternLength} characters.`);
  const trimmed = pattern.replace(/^\.\//, "");
  if (trimmed === "") throw new GlobError("The pattern is empty.");
  const anchored = trimmed.includes("/") ? trimmed.replace(/^\//, "") : `**/${trimmed}`;
  // `src/**` means what is in src, not src itself.
  const whole = anchored.replace(/(^|\/)\*\*$/, "$1**/*");
  const alternatives = expandBraces(whole).map((alternative) => alternative.split("/").map(compileSegment));
  return (path) => {
    const names = path.split("/");
    return alternatives.some((segments) => matchSegments(segments, names));
  };
}

type Segment = "any folders" | readonly Sign[];

type Sign =
  | { readonly type: "letter"; readonly letter: string }
  | { readonly type: "one" }
  | { readonly type: "many" }
  | { readonly type: "set"; readonly not: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** `a{b,c{d,e}}` → `ab`, `acd`, `ace`. */
function expandBraces(pattern: string): string[] {
  const open = pattern.search(/(?<!\\)\{/);
  if (open === -1) return [pattern];
  const parts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let index = open; index < pattern.length; index++) {
    const letter = pattern[index];
    if (letter === "\\") index++;
    else if (letter === "{") depth++;
    else if (letter === "," && depth === 1) {
      parts.push(pattern.slice(start, index));
      start = index + 1;
    } else if (letter === "}" && --depth === 0) {
      parts.push(pattern.slice(start, index));
      const expanded: string[] = [];
      for (const part of parts) {
        expanded.push(...expandBraces(pattern.slice(0, open) + part + pattern.slice(index + 1)));
        if (expanded.length > maxAlternatives)
          throw new GlobError(`The braces stand for more than ${maxAlternatives} patterns.`);
      }
      return expanded;
    }
  }
  throw new GlobError("A { has no }.");
}

function compileSegment(text: string): Segment {
  if (text === "**") return "any folders";
  const signs: Sign[] = [];
  const letters = Array.from(text);
  for (let index = 0; index < letters.length; index++) {
    const letter = letters[index] ?? "";
    if (letter === "\\" && index + 1 < letters.length) signs.push({ type: "letter", letter: letters[++index] ?? "" });
    else if (letter === "?") signs.push({ type: "one" });
    else if (letter === "*") {
      if (signs.at(-1)?.type !== "many") signs.push({ type: "many" });
    } else if (letter === "[") {
      const close = letters.indexOf("]", index + 2);
      if (close === -1) throw new GlobError("A [ has no ].");
      signs.push(compileSet(letters.slice(index + 1, close)));
      index = close;
    } else signs.push({ type: "letter", letter });
  }
  return signs;
}

function compileSet(letters: readonly string[]): Sign {
  const not = letters[0] === "!" || letters[0] === "^";
  const ranges: [string, string][] = [];
  for (let index = not ? 1 : 0; index < letters.length; index++) {
    const from = letters[index] ?? "";
    const to = letters[index + 2];
    if (letters[index + 1] === "-" && to !== undefined) {
      ranges.push([from, to]);
      index += 2;
    } else ranges.push([from, from]);
  }
  return { type: "set", not, ranges };
}

function matchSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  return matchSteps(segments.length, names.length, (segment, name) => {
    const wanted = segments[segment];
    if (wanted === "any folders") return "many";
    return wanted !== undefined && matchName(wanted, names[name] ?? "");
  });
}

function matchName(signs: readonly Sign[], name: string): boolean {
  const letters = Array.from(name);
  return matchSteps(signs.length, letters.length, (at, index) => {
    const sign = signs[at];
    const letter = letters[index] ?? "";
    switch (sign?.type) {
      case "letter":
        return sign.letter === letter;
      case "one":
        return true;
      case "many":
        return "many";
      case "set":
        return sign.not !== sign.ranges.some(([from, to]) => from <= letter && letter <= to);
      case undefined:
        return false;
    }
  });
}

/**
 * Whether `count` signs match `length` things. `matches` answers "many" for a sign that takes any number of things. On a
 * mismatch the last such sign takes one more: that is enough, and never takes more than count × length steps.
 */
function matchSteps(
  count: number,
  length: number,
  matches: (sign: number, thing: number) => boolean | "many",
): boolean {
  let sign = 0;
  let thing = 0;
  let lastMany = -1;
  let lastManyEnd = 0;
  while (thing < length) {
    const matched = sign < count && matches(sign, thing);
    if (matched === "many") {
      lastMany = sign++;
      lastManyEnd = thing;
    } else if (matched) {
      sign++;
      thing++;
    } else if (lastMany !== -1) {
      sign = lastMany + 1;
      thing = ++lastManyEnd;
    } else return false;
  }
  while (sign < count && matches(sign, length) === "many") sign++;
  return sign === count;
}
