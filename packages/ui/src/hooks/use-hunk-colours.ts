// Colours the lines of a hunk as code and marks their changed words. Only the hunk's own lines are read, so a change in a file of megabytes costs
// no more than one in a small file. A hunk that begins inside a long comment can therefore have wrong colours, never wrong text.
import { useCallback, useMemo } from "react";
import { colouredPieces, type LinePiece } from "../text/coloured-line.ts";
import type { DiffRow } from "../text/line-diff.ts";
import { wordsByRow } from "../text/word-diff.ts";
import { useTokens } from "./use-tokens.ts";

const maxLineLength = 5000;

export function useHunkColours(
  rows: readonly DiffRow[],
  language: string | null,
): (row: DiffRow) => readonly LinePiece[] {
  const words = useMemo(() => wordsByRow(rows), [rows]);
  const sides = useMemo(() => splitSides(rows), [rows]);
  const removed = useTokens(sides.removed, language);
  const other = useTokens(sides.other, language);
  return useCallback(
    (row) => {
      const tokens = row.type === "removed" ? removed : other;
      return colouredPieces(row.text.slice(0, maxLineLength), words.get(row), tokens?.[sides.lineOf.get(row) ?? -1]);
    },
    [words, sides, removed, other],
  );
}

const joinRows = (side: readonly DiffRow[]) => side.map(({ text }) => text).join("\n");

/** The hunk as it was, only needed where it loses lines, and as it will be; and in which line of its side each row is. */
function splitSides(rows: readonly DiffRow[]) {
  const [before, after] = [rows.filter(({ type }) => type !== "added"), rows.filter(({ type }) => type !== "removed")];
  const hasRemoved = before.some(({ type }) => type === "removed");
  const lineOf = new Map([...before.entries(), ...after.entries()].map(([line, row]) => [row, line]));
  return { removed: hasRemoved ? joinRows(before) : "", other: joinRows(after), lineOf };
}
