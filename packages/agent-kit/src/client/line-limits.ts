// Limits how much of a text a model gets in one answer: whole lines, up to a number of lines and characters.
import type { LineRange } from "./client-files.ts";

export const maxReadLines = 2000;
export const maxReadCharacters = 50_000;

export interface LimitedLines {
  /** The lines as they are, with their line endings. */
  readonly text: string;
  readonly count: number;
  /** Whether something follows that is not shown. */
  readonly isTruncated: boolean;
  /** The length of the first line, where it alone is too long and only its beginning is shown. */
  readonly longLine: number | undefined;
}

export function limitLines(text: string, lineLimit: number = maxReadLines): LimitedLines {
  const lines = splitLines(text);
  let length = 0;
  let count = 0;
  for (const line of lines) {
    if (count === Math.min(lineLimit, maxReadLines) || length + line.length > maxReadCharacters) break;
    length += line.length;
    count++;
  }
  const [first = ""] = lines;
  if (count === 0 && first !== "") {
    const beginning = first.slice(0, maxReadCharacters).replace(/[\uD800-\uDBFF]$/, "");
    return { text: beginning, count: 1, isTruncated: true, longLine: first.length };
  }
  return { text: lines.slice(0, count).join(""), count, isTruncated: count < lines.length, longLine: undefined };
}

/** Lines with their line endings; joined they are the text again. */
export function splitLines(text: string): readonly string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/** The lines of the range, with their line endings. */
export function linesInRange(text: string, { line = 1, limit }: LineRange): string {
  if (line === 1 && limit === undefined) return text;
  return splitLines(text)
    .slice(line - 1, limit === undefined ? undefined : line - 1 + limit)
    .join("");
}
