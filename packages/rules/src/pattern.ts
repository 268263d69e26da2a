// This module matches wildcards. In a path `*` stays within a folder and `**` does not; elsewhere `*` is any text. A backslash takes the next
// letter literally. Nothing is tried twice, so the cost is at most pattern × text, whatever the pattern is.

/** Separates the words of a command in `matchesCommand`; no word can contain it. */
const wordBreak = "\u0000";

export function matchesText(pattern: string, text: string): boolean {
  return matches(readPattern(pattern, "text"), text);
}

/** In a path pattern `src/**` also means `src` itself. */
export function matchesPath(pattern: string, path: string): boolean {
  return pathMatcher(pattern)(path);
}

/** Reads the pattern once, for many paths. */
export function pathMatcher(pattern: string): (path: string) => boolean {
  const choices = folderChoices(pattern.replaceAll("\\/", "/").split("/"));
  return (path) => {
    const folders = path.split("/");
    return choices.some((choice) => matchesFolders(choice, folders));
  };
}

/** A blank in the pattern stands between two words, never inside one: `./ok *` is not about a program called `./ok evil`. */
export function matchesCommand(pattern: string, words: readonly string[]): boolean {
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

/** The characters between two stars; undefined stands for any one character. */
type Run = readonly (string | undefined)[];

interface Wildcards {
  readonly runs: readonly Run[];
  /** The character that a `?` does not match. */
  readonly except: string | undefined;
}

function readPattern(pattern: string, style: "text" | "words"): Wildcards {
  const runs: (string | undefined)[][] = [[]];
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern.charAt(at);
    const run = runs.at(-1);
    if (letter === "*") runs.push([]);
    else if (letter === "\\") run?.push(pattern[++at] ?? "\\");
    else if (letter === "?") run?.push(undefined);
    else if (letter === " " && style === "words") {
      // Several blanks separate two words like one.
      if (pattern[at - 1] !== " ") run?.push(wordBreak);
    } else run?.push(letter);
  }
  return { runs, except: style === "words" ? wordBreak : undefined };
}

function matches({ runs, except }: Wildcards, text: string): boolean {
  const isAt = (run: Run, at: number) =>
    run.every((letter, index) => {
      const found = text.charAt(at + index);
      return letter === undefined ? found !== except : found === letter;
    });
  const find = (run: Run, from: number, to: number) => {
    if (run.includes(undefined)) return scan(run, from, to, isAt);
    const at = text.indexOf(run.join(""), from);
    return at > to ? -1 : at;
  };
  return matchesInOrder(runs, text.length, isAt, find);
}

/** Where `**` stands beside other letters it stands for any text: `a**b` is `a*b` or `a*`, any folders, `*b`. */
function folderChoices(folders: readonly string[]): readonly (readonly string[])[] {
  const at = folders.findIndex((folder) => folder.replaceAll(/\\./gs, "xx").includes("**") && !/^\*+$/.test(folder));
  const folder = folders[at];
  if (folder === undefined) return [folders.map((name) => (/^\*{2,}$/.test(name) ? "**" : name))];
  const [, before = "", after = ""] = /^((?:[^*\\]|\\.|\*(?!\*))*)\*{2,}(.*)$/s.exec(folder) ?? [];
  const [start, end] = [folders.slice(0, at), folders.slice(at + 1)];
  return [
    ...folderChoices([...start, `${before}*${after}`, ...end]),
    ...folderChoices([...start, `${before}*`, "**", `*${after}`, ...end]),
  ];
}

function matchesFolders(pattern: readonly string[], path: readonly string[]): boolean {
  const runs: string[][] = [[]];
  for (const folder of pattern) {
    if (folder === "**") runs.push([]);
    else runs.at(-1)?.push(folder);
  }
  const isAt = (run: readonly string[], at: number) =>
    run.every((folder, index) => matchesText(folder, path[at + index] ?? ""));
  return matchesInOrder(runs, path.length, isAt, (run, from, to) => scan(run, from, to, isAt));
}

type IsAt<Each> = (run: Each, at: number) => boolean;

/** Each run is taken where it is found first: what fits with a later place fits with that one, too. */
function matchesInOrder<Each extends readonly unknown[]>(
  runs: readonly Each[],
  length: number,
  isAt: IsAt<Each>,
  find: (run: Each, from: number, to: number) => number,
): boolean {
  const [first, ...others] = runs;
  const last = others.pop();
  if (first === undefined) return length === 0;
  if (last === undefined) return first.length === length && isAt(first, 0);
  const end = length - last.length;
  if (first.length > end || !isAt(first, 0) || !isAt(last, end)) return false;
  let at = first.length;
  for (const run of others) {
    const found = find(run, at, end - run.length);
    if (found < 0) return false;
    at = found + run.length;
  }
  return true;
}

function scan<Each extends readonly unknown[]>(run: Each, from: number, to: number, isAt: IsAt<Each>): number {
  for (let at = from; at <= to; at++) if (isAt(run, at)) return at;
  return -1;
}
