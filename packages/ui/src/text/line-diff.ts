// Compares two texts line by line and gives the hunks to show. The work is bounded: where the bound is reached, the diff says so.
import type { ChangedFile } from "@signalbox/protocol";
import { structuredPatch } from "diff";

export type DiffRow =
  | { readonly type: "same"; readonly before: number; readonly after: number; readonly text: string }
  | { readonly type: "removed"; readonly before: number; readonly text: string }
  | { readonly type: "added"; readonly after: number; readonly text: string };

export interface Diff {
  readonly hunks: readonly (readonly DiffRow[])[];
  readonly added: number;
  readonly removed: number;
  /** There were too many changes to compare line by line: everything between the first and the last one counts as changed. */
  readonly isRough: boolean;
  /** What happened to the newline at the end of the file. */
  readonly lastNewline: "same" | "added" | "removed";
}

const context = 3;
const maxEditLength = 1000;
const timeoutMs = 200;

export function diffLines(before: string, after: string): Diff {
  const patch = structuredPatch("", "", before, after, "", "", { context, maxEditLength, timeout: timeoutMs });
  const hunks = patch?.hunks.map((hunk) => rowsOf(hunk.lines, hunk.oldStart, hunk.newStart));
  const rows = hunks ?? [roughRows(before, after)];
  const count = (type: DiffRow["type"]) => rows.flat().filter((row) => row.type === type).length;
  return {
    hunks: rows,
    added: count("added"),
    removed: count("removed"),
    isRough: hunks === undefined,
    lastNewline: lastNewlineOf(before, after),
  };
}

/** A change that the host compared, as rows. */
export function diffOfHunks({ hunks, added, removed, rough }: ChangedFile): Diff {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const hasNoNewline = (sign: string) =>
    lines.some((line, index) => line.startsWith(sign) && lines[index + 1]?.startsWith("\\") === true);
  const [before, after] = [hasNoNewline("-"), hasNoNewline("+")];
  return {
    hunks: hunks.map((hunk) => markLineEnds(rowsOf(hunk.lines, hunk.old_start, hunk.new_start))),
    added: added ?? 0,
    removed: removed ?? 0,
    isRough: rough === true,
    lastNewline: before === after ? "same" : before ? "added" : "removed",
  };
}

/** Where only some of the changed lines end with a carriage return, those show it: it may be all that changes. */
function markLineEnds(rows: readonly DiffRow[]): readonly DiffRow[] {
  const changed = rows.filter(({ type }) => type !== "same");
  const ending = changed.filter(({ text }) => text.endsWith("\r"));
  if (ending.length === 0 || ending.length === changed.length) return rows;
  return rows.map((row) => (row.text.endsWith("\r") ? { ...row, text: `${row.text.slice(0, -1)}␍` } : row));
}

/** `lines` each begin with their sign; one that begins with a backslash is a remark about the line before it. */
function rowsOf(lines: readonly string[], beforeStart: number, afterStart: number): readonly DiffRow[] {
  let [before, after] = [beforeStart, afterStart];
  return lines.flatMap((line): DiffRow[] => {
    const text = line.slice(1);
    if (line.startsWith("+")) return [{ type: "added", after: after++, text }];
    if (line.startsWith("-")) return [{ type: "removed", before: before++, text }];
    return line.startsWith("\\") ? [] : [{ type: "same", before: before++, after: after++, text }];
  });
}

function roughRows(before: string, after: string): readonly DiffRow[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const from = Math.max(0, start - context);
  const lines = [
    ...signed(" ", a.slice(from, start)),
    ...signed("-", a.slice(start, a.length - end)),
    ...signed("+", b.slice(start, b.length - end)),
    ...signed(" ", a.slice(a.length - end).slice(0, context)),
  ];
  return rowsOf(lines, from + 1, from + 1);
}

const signed = (sign: string, lines: readonly string[]) => lines.map((line) => sign + line);

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, "").split("\n");
}

function lastNewlineOf(before: string, after: string): Diff["lastNewline"] {
  // A new or an emptied file has no line that could have lost its newline.
  if (before === "" || after === "" || before.endsWith("\n") === after.endsWith("\n")) return "same";
  return after.endsWith("\n") ? "added" : "removed";
}
