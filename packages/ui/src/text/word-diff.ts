// Which words of a changed line changed: pieces of the old and of the new line, each marked as changed or not.
import { type DiffRow, longestCommon } from "./line-diff.ts";

export interface WordPiece {
  readonly text: string;
  readonly changed: boolean;
}

const longestLine = 1000;

/** Null when the lines have too little in common for words to say more than colours do. */
export function diffWords(before: string, after: string): { before: WordPiece[]; after: WordPiece[] } | null {
  if (before.length > longestLine || after.length > longestLine) return null;
  const a = wordsOf(before);
  const b = wordsOf(after);
  const pairs = longestCommon(a, b);
  const shared = pairs.reduce((sum, [x]) => sum + (a[x]?.trim().length ?? 0), 0);
  if (shared * 3 < Math.max(before.trim().length, after.trim().length)) return null;
  return { before: piecesOf(a, new Set(pairs.map(([x]) => x))), after: piecesOf(b, new Set(pairs.map(([, y]) => y))) };
}

const mostPairs = 400;

/** Rows with the words that changed: a removed line is paired with the first added line after the last pair that resembles it. */
export function wordsByRow(rows: readonly DiffRow[]): ReadonlyMap<DiffRow, readonly WordPiece[]> {
  const found = new Map<DiffRow, readonly WordPiece[]>();
  for (const { removed, added } of changeRuns(rows)) {
    if (removed.length * added.length > mostPairs && removed.length !== added.length) continue;
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

function wordsOf(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function piecesOf(words: readonly string[], same: ReadonlySet<number>): WordPiece[] {
  const pieces: WordPiece[] = [];
  words.forEach((text, index) => {
    const changed = !same.has(index);
    const last = pieces.at(-1);
    if (last !== undefined && last.changed === changed) pieces[pieces.length - 1] = { text: last.text + text, changed };
    else pieces.push({ text, changed });
  });
  return pieces;
}
