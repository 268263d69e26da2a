// Wildcards in rules. In a path `*` stays within a folder and `**` does not; elsewhere `*` is any text. A backslash takes the next letter literally.
// Matched step by step, every way at once: a rule may be a stranger's, and as a regular expression a few stars can take for ever.

export function matchesText(pattern: string, text: string): boolean {
  return matches(readPattern(pattern, true), text);
}

export function matchesPath(pattern: string, path: string): boolean {
  return matches(readPattern(pattern, false), path);
}

/** No wildcard in it: it matches one text only. */
export function isLiteral(pattern: string): boolean {
  return !/[*?]/.test(pattern.replaceAll(/\\./g, ""));
}

type Part =
  | { readonly type: "letter"; readonly letter: string }
  | { readonly type: "one"; readonly overSlash: boolean }
  | { readonly type: "many"; readonly overSlash: boolean }
  /** Nothing, or anything that ends with a slash. */
  | { readonly type: "folders" };

function readPattern(pattern: string, overSlash: boolean): readonly Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at] ?? "";
    if (letter === "\\") parts.push({ type: "letter", letter: pattern[++at] ?? "\\" });
    else if (letter === "?") parts.push({ type: "one", overSlash });
    else if (letter !== "*") parts.push({ type: "letter", letter });
    else if (pattern[at + 1] !== "*") parts.push({ type: "many", overSlash });
    else {
      // `a/**/b` also means `a/b`.
      const isWhole = pattern[at + 2] === "/" && (at === 0 || pattern[at - 1] === "/");
      parts.push(isWhole ? { type: "folders" } : { type: "many", overSlash: true });
      at += isWhole ? 2 : 1;
    }
  }
  return parts;
}

/** Where matching stands: so many parts are done, and perhaps it is in the middle of `folders`. */
class Places {
  readonly #parts: readonly Part[];
  readonly before = new Set<number>();
  readonly inFolders = new Set<number>();

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  /** Parts that may stand for nothing are passed over at once. */
  add(place: number): void {
    for (let at = place; !this.before.has(at); at++) {
      this.before.add(at);
      const type = this.#parts[at]?.type;
      if (type !== "many" && type !== "folders") return;
    }
  }
}

function matches(parts: readonly Part[], text: string): boolean {
  let places = new Places(parts);
  places.add(0);
  for (const letter of text.split("")) {
    const next = new Places(parts);
    for (const at of places.before) step(parts[at], at, letter, next);
    for (const at of places.inFolders) step(parts[at], at, letter, next);
    if (next.before.size === 0 && next.inFolders.size === 0) return false;
    places = next;
  }
  return places.before.has(parts.length);
}

function step(part: Part | undefined, at: number, letter: string, next: Places): void {
  switch (part?.type) {
    case undefined:
      return;
    case "letter":
      if (letter === part.letter) next.add(at + 1);
      return;
    case "one":
      if (part.overSlash || letter !== "/") next.add(at + 1);
      return;
    case "many":
      if (part.overSlash || letter !== "/") next.add(at);
      return;
    case "folders":
      next.inFolders.add(at);
      if (letter === "/") next.add(at + 1);
  }
}
