// Compares two texts line by line, and reads hunks as rows to show. The work is bounded: where the bound is reached, the result says so.
import type { Hunk } from "@signalbox/protocol";
import { structuredPatch } from "diff";

export type DiffRow =
  | { readonly type: "same"; readonly before: number; readonly after: number; readonly text: string }
  | { readonly type: "removed"; readonly before: number; readonly text: string }
  | { readonly type: "added"; readonly after: number; readonly text: string };

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

export function compareTexts(before: string, after: string): Comparison {
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

/** The rows of a hunk. A line that begins with a backslash is only a remark about the line before it. */
export function rowsOf({ lines, old_start: oldStart, new_start: newStart }: Hunk): readonly DiffRow[] {
  let [before, after] = [oldStart, newStart];
  const rows = lines.flatMap((line): DiffRow[] => {
    const text = line.slice(1);
    if (line.startsWith("+")) return [{ type: "added", after: after++, text }];
    if (line.startsWith("-")) return [{ type: "removed", before: before++, text }];
    return line.startsWith("\\") ? [] : [{ type: "same", before: before++, after: after++, text }];
  });
  return markLineEnds(rows);
}

/** What happens to the newline at the end of the file. A new or an emptied file has no line that could have lost it. */
export function lastNewlineOf(hunks: readonly Hunk[]): "same" | "added" | "removed" {
  const { lines = [], old_lines: oldLines = 0, new_lines: newLines = 0 } = hunks.at(-1) ?? {};
  const hasNone = (sign: string) =>
    lines.some((line, index) => line.startsWith(sign) && lines[index + 1]?.startsWith("\\") === true);
  const [before, after] = [hasNone("-"), hasNone("+")];
  if (before === after || oldLines === 0 || newLines === 0) return "same";
  return before ? "added" : "removed";
}

/** Where only some of the changed lines end with a carriage return, those show it: it may be all that changes. */
function markLineEnds(rows: readonly DiffRow[]): readonly DiffRow[] {
  const changed = rows.filter(({ type }) => type !== "same");
  const ending = changed.filter(({ text }) => text.endsWith("\r"));
  if (ending.length === 0 || ending.length === changed.length) return rows;
  return rows.map((row) => (row.text.endsWith("\r") ? { ...row, text: `${row.text.slice(0, -1)}␍` } : row));
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
