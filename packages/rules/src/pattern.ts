// This module matches wildcards. In a path `*` stays within a folder and `**` does not; elsewhere `*` is any text. A backslash takes the next
// letter literally. All ways to match are followed at once, so the cost is at most pattern × text, whatever the pattern is.

/** What separates the words of a command in `matchesWords`. No word of a command line holds it. */
export const wordBreak = "\u0000";

export function matchesText(pattern: string, text: string): boolean {
  return matches(readPattern(pattern, "text"), text);
}

/** In a path pattern `src/**` also means `src` itself. */
export function matchesPath(pattern: string, path: string): boolean {
  return matches(readPattern(pattern, "path"), path);
}

/** A blank in the pattern stands between two words, never inside one: `./ok *` is not about a program called `./ok evil`. */
export function matchesWords(pattern: string, words: readonly string[]): boolean {
  const parts = readPattern(pattern.trim(), "words");
  const text = words.join(wordBreak);
  if (matches(parts, text)) return true;
  // `git *` also means `git` alone.
  return /(?<!\\) \*$/.test(pattern) && matches(readPattern(pattern.trim().slice(0, -2), "words"), text);
}

/** False when it matches one text only. */
export function hasWildcard(pattern: string): boolean {
  return /[*?]/.test(pattern.replaceAll(/\\./gs, ""));
}

/** The pattern that matches this text only. */
export function literalPattern(text: string): string {
  return text.replaceAll(/[*?\\]/g, "\\$&");
}

/** The text that a pattern without wildcards stands for. */
export function unescapePattern(pattern: string): string {
  return pattern.replaceAll(/\\(.)/gs, "$1");
}

type Style = "text" | "path" | "words";

type Part =
  | { readonly type: "letter"; readonly letter: string }
  /** One letter, or any number of letters, except this one. */
  | { readonly type: "one" | "many"; readonly except: string | undefined }
  /** Nothing, or anything that ends with a slash. */
  | { readonly type: "folders" }
  /** The end, or a slash with anything after it. */
  | { readonly type: "below" };

function readPattern(pattern: string, style: Style): readonly Part[] {
  const parts: Part[] = [];
  const except = style === "path" ? "/" : undefined;
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at] ?? "";
    if (letter === "\\") parts.push({ type: "letter", letter: pattern[++at] ?? "\\" });
    else if (letter === "?") parts.push({ type: "one", except: style === "words" ? wordBreak : except });
    else if (letter === " " && style === "words") {
      // Several blanks separate two words like one.
      if (pattern[at - 1] !== " ") parts.push({ type: "letter", letter: wordBreak });
    } else if (letter !== "*") parts.push({ type: "letter", letter });
    else {
      const stars = /^\*+/.exec(pattern.slice(at))?.[0].length ?? 1;
      const startsFolder = at === 0 || pattern[at - 1] === "/";
      if (stars === 1 || style !== "path") parts.push({ type: "many", except });
      // `a/**/b` also means `a/b`.
      else if (startsFolder && pattern[at + stars] === "/") parts.push({ type: "folders" });
      // `a/**` also means `a`.
      else if (startsFolder && at > 1 && at + stars === pattern.length && parts.at(-1)?.type === "letter")
        parts.splice(-1, 1, { type: "below" });
      else parts.push({ type: "many", except: undefined });
      at += parts.at(-1)?.type === "folders" ? stars : stars - 1;
    }
  }
  return parts;
}

/** The parts that may come next; those in the middle of a part that spans letters are marked with `inside`. */
class Places {
  readonly #parts: readonly Part[];
  readonly #marks: Uint8Array;
  #list: number[] = [];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
    this.#marks = new Uint8Array(2 * parts.length + 2);
  }

  get list(): readonly number[] {
    return this.#list;
  }

  clear(): void {
    for (const place of this.#list) this.#marks[place] = 0;
    this.#list = [];
  }

  /** Parts that may stand for nothing are passed over at once. */
  add(index: number): void {
    for (let at = index; this.#mark(2 * at); at++) {
      const type = this.#parts[at]?.type;
      if (type !== "many" && type !== "folders" && type !== "below") return;
    }
  }

  addInside(index: number): void {
    this.#mark(2 * index + 1);
  }

  has(index: number): boolean {
    return this.#marks[2 * index] === 1;
  }

  hasInside(index: number): boolean {
    return this.#marks[2 * index + 1] === 1;
  }

  #mark(place: number): boolean {
    if (this.#marks[place] === 1) return false;
    this.#marks[place] = 1;
    this.#list.push(place);
    return true;
  }
}

function matches(parts: readonly Part[], text: string): boolean {
  let places = new Places(parts);
  let next = new Places(parts);
  places.add(0);
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    for (const place of places.list) step(parts[place >> 1], place >> 1, place % 2 === 1, letter, next);
    if (next.list.length === 0) return false;
    [places, next] = [next, places];
    next.clear();
  }
  return places.has(parts.length) || (parts.at(-1)?.type === "below" && places.hasInside(parts.length - 1));
}

function step(part: Part | undefined, at: number, isInside: boolean, letter: string, next: Places): void {
  switch (part?.type) {
    case undefined:
      return;
    case "letter":
      if (letter === part.letter) next.add(at + 1);
      return;
    case "one":
      if (letter !== part.except) next.add(at + 1);
      return;
    case "many":
      if (letter !== part.except) next.add(at);
      return;
    case "folders":
      next.addInside(at);
      if (letter === "/") next.add(at + 1);
      return;
    case "below":
      if (isInside || letter === "/") next.addInside(at);
  }
}
