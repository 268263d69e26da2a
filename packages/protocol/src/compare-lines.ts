// Compares two texts line by line, for the page and for reports. The work is bounded: where the bound is reached, the result says so. What a
// person decides about is compared by the host, exactly (`compareTexts`).
import { type Change, diffWordsWithSpace, structuredPatch } from "diff";
import type { Hunk } from "./asked-about.ts";

interface Comparison {
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
  /** There were too many changes to compare line by line: everything between the first and the last one counts as changed. */
  readonly rough: boolean;
}

const context = 3;
const maxEditLength = 1000;
const timeoutMs = 200;

export function compareLines(before: string, after: string): Comparison {
  const patch = structuredPatch("", "", before, after, "", "", { context, maxEditLength, timeout: timeoutMs });
  const hunks = patch?.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    old_start: oldStart,
    old_lines: oldLines,
    new_start: newStart,
    new_lines: newLines,
    lines,
  }));
  const shown = hunks ?? [roughHunk(before, after)];
  const count = (sign: string) => shown.flatMap(({ lines }) => lines).filter((line) => line.startsWith(sign)).length;
  return { hunks: shown, added: count("+"), removed: count("-"), rough: hunks === undefined };
}

const maxWordEdits = 200;

/** The words and blanks of two lines, in order; null where too many of them differ. */
export function compareWithinLine(before: string, after: string): readonly Change[] | null {
  return diffWordsWithSpace(before, after, { maxEditLength: maxWordEdits }) ?? null;
}

function roughHunk(before: string, after: string): Hunk {
  const [a, b] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const from = Math.max(0, start - context);
  const below = a.slice(a.length - end).slice(0, context);
  return {
    old_start: from + 1,
    old_lines: a.length - end - from + below.length,
    new_start: from + 1,
    new_lines: b.length - end - from + below.length,
    lines: [
      ...signed(" ", a.slice(from, start)),
      ...signed("-", a.slice(start, a.length - end)),
      ...signed("+", b.slice(start, b.length - end)),
      ...signed(" ", below),
    ],
  };
}

const signed = (sign: string, lines: readonly string[]) => lines.map((line) => sign + line);

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, "").split("\n");
}
