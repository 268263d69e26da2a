// Reads hunks as rows to show.
import type { Hunk } from "@signalbox/protocol";

export type DiffRow =
  | { readonly type: "same"; readonly before: number; readonly after: number; readonly text: string }
  | { readonly type: "removed"; readonly before: number; readonly text: string }
  | { readonly type: "added"; readonly after: number; readonly text: string };

/** The rows of a hunk. A line that begins with a backslash is only a remark about the line before it. */
export function readDiffRows({ lines, old_start: oldStart, new_start: newStart }: Hunk): readonly DiffRow[] {
  let [before, after] = [oldStart, newStart];
  const rows = lines.flatMap((line): DiffRow[] => {
    const text = line.slice(1);
    if (line.startsWith("+")) return [{ type: "added", after: after++, text }];
    if (line.startsWith("-")) return [{ type: "removed", before: before++, text }];
    return line.startsWith("\\") ? [] : [{ type: "same", before: before++, after: after++, text }];
  });
  return markLineEnds(rows);
}

/** Tells whether the newline at the end of the file stayed, was added or was removed. A new or an emptied file counts as "same". */
export function compareLastNewline(hunks: readonly Hunk[]): "same" | "added" | "removed" {
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
