// Compares two texts line by line for a report: changed lines with three unchanged ones around them.
import { structuredPatch } from "diff";

interface DiffLine {
  /** "@" stands between two hunks. */
  readonly sign: " " | "-" | "+" | "@";
  readonly text: string;
}

const context = 3;
const maxEditLength = 1000;
const timeoutMs = 500;

export function lineDiff(oldText: string | null, newText: string): readonly DiffLine[] {
  const patch = structuredPatch("", "", oldText ?? "", newText, "", "", { context, maxEditLength, timeout: timeoutMs });
  if (patch === undefined) {
    return [
      { sign: "@", text: "too many changes to compare line by line: the old text, then the new one" },
      ...wholeText(oldText ?? "", "-"),
      ...wholeText(newText, "+"),
    ];
  }
  return patch.hunks.flatMap((hunk, index): DiffLine[] => [
    ...(index === 0 ? [] : [{ sign: "@" as const, text: `line ${hunk.newStart}` }]),
    ...hunk.lines.map(lineOf),
  ]);
}

function lineOf(line: string): DiffLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { sign: "+", text };
  if (line.startsWith("-")) return { sign: "-", text };
  return { sign: " ", text: line.startsWith("\\") ? line : text };
}

function wholeText(text: string, sign: "-" | "+"): DiffLine[] {
  return text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => ({ sign, text: line }));
}
