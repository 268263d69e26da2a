// Compares two texts line by line for a report: changed lines with unchanged ones around them.
import { compareLines } from "@signalbox/protocol/compare-lines";

interface DiffLine {
  /** "@" stands before a hunk that does not begin the text, and before a remark. */
  readonly sign: " " | "-" | "+" | "@";
  readonly text: string;
}

const roughNote: DiffLine = {
  sign: "@",
  text: "too many changes to compare line by line: all old lines between the first and the last change, then the new ones",
};

export function diffLines(oldText: string | null, newText: string): readonly DiffLine[] {
  const { hunks, isRough } = compareLines(oldText ?? "", newText);
  const lines = hunks.flatMap(({ new_start, lines: changed }, index): DiffLine[] => [
    ...(index === 0 ? [] : [{ sign: "@" as const, text: `line ${new_start}` }]),
    ...changed.map(toDiffLine),
  ]);
  return isRough ? [roughNote, ...lines] : lines;
}

function toDiffLine(line: string): DiffLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { sign: "+", text };
  if (line.startsWith("-")) return { sign: "-", text };
  return { sign: " ", text: line.startsWith("\\") ? line : text };
}
