// Marks the words that changed between a removed line and the added line that replaces it.
import { compareWithinLine } from "@signalbox/protocol/compare-lines";
import type { DiffRow } from "./line-diff.ts";

export interface WordPiece {
  readonly text: string;
  readonly changed: boolean;
}

const maxLineLength = 1000;
const maxPairs = 400;

/** Null when the lines have less than a third in common: then marking words would say nothing. */
export function diffWords(before: string, after: string): { before: WordPiece[]; after: WordPiece[] } | null {
  if (before.length > maxLineLength || after.length > maxLineLength) return null;
  const changes = compareWithinLine(before, after);
  if (changes === null) return null;
  const same = changes.filter(({ added, removed }) => !added && !removed);
  const shared = same.reduce((sum, { value }) => sum + value.trim().length, 0);
  if (shared * 3 < Math.max(before.trim().length, after.trim().length)) return null;
  return {
    before: changes.flatMap(({ value, added, removed }) => (added ? [] : [{ text: value, changed: removed }])),
    after: changes.flatMap(({ value, added, removed }) => (removed ? [] : [{ text: value, changed: added }])),
  };
}

/** The pieces of each changed row. A removed line is paired with the first similar added line after the previous pair. */
export function wordsByRow(rows: readonly DiffRow[]): ReadonlyMap<DiffRow, readonly WordPiece[]> {
  const found = new Map<DiffRow, readonly WordPiece[]>();
  for (const { removed, added } of changeRuns(rows)) {
    if (removed.length * added.length > maxPairs && removed.length !== added.length) continue;
    let next = 0;
    for (const [index, row] of removed.entries()) {
      const candidates = removed.length === added.length ? [index] : [...added.keys()].slice(next);
      for (const at of candidates) {
        const partner = added[at];
        const words = partner === undefined ? null : diffWords(row.text, partner.text);
        if (partner === undefined || words === null) continue;
        found.set(row, words.before);
        found.set(partner, words.after);
        next = at + 1;
        break;
      }
    }
  }
  return found;
}

/** Removed lines together with the added lines that directly follow them. */
export function changeRuns(rows: readonly DiffRow[]): readonly { removed: DiffRow[]; added: DiffRow[] }[] {
  const runs: { removed: DiffRow[]; added: DiffRow[] }[] = [];
  let run: { removed: DiffRow[]; added: DiffRow[] } | null = null;
  for (const row of rows) {
    if (row.type === "same") run = null;
    else {
      if (run === null || (row.type === "removed" && run.added.length > 0)) {
        run = { removed: [], added: [] };
        runs.push(run);
      }
      (row.type === "removed" ? run.removed : run.added).push(row);
    }
  }
  return runs;
}
