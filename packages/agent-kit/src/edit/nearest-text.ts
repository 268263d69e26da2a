// Finds the lines that look most like a text that is not in the file, so that the model can correct its edit.

const maxLineLength = 200;
const maxLines = 50_000;
const maxCandidates = 20;
const maxShownLines = 20;
/** Below this the lines have nothing in common but letters. */
const similarEnough = 0.5;

/** A sentence and the nearest lines with their numbers; empty when nothing comes near. */
export function nearestText(text: string, wanted: string): string {
  const lines = splitLines(text).slice(0, maxLines);
  const wantedLines = splitLines(wanted);
  const nearest = nearestWindow(lines, wantedLines);
  if (nearest === undefined) return " Nothing in the file looks like it: read the file again.";
  const shown = lines
    .slice(nearest.start, nearest.start + Math.min(wantedLines.length, maxShownLines))
    .map((line, index) => `${nearest.start + index + 1}\t${line.slice(0, maxLineLength)}`)
    .join("\n")
    .toWellFormed();
  const difference = nearest.similarity === 1 ? " It differs only in spaces, tabs or blank ends of lines." : "";
  return `${difference} The nearest text is:\n${shown}`;
}

interface Window {
  readonly start: number;
  readonly similarity: number;
}

function nearestWindow(lines: readonly string[], wanted: readonly string[]): Window | undefined {
  // The longest line says most about the place; the windows around its best matches are compared whole.
  const anchor = wanted.reduce(
    (best, line, index) => (squeeze(line).length > squeeze(wanted[best] ?? "").length ? index : best),
    0,
  );
  const anchorPairs = countPairs(wanted[anchor] ?? "");
  const candidates = lines
    .map((line, index) => ({ start: index - anchor, similarity: measureSimilarity(anchorPairs, line) }))
    .filter(({ start, similarity }) => start >= 0 && similarity >= similarEnough)
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, maxCandidates);
  const wantedPairs = wanted.slice(0, maxLineLength).map(countPairs);
  const weight = wantedPairs.reduce((sum, { total }) => sum + total, 0);
  return candidates
    .map(({ start }) => {
      // Long lines weigh more: that every block ends with a brace says nothing.
      const likeness = wantedPairs.map(
        (pairs, index) => pairs.total * measureSimilarity(pairs, lines[start + index] ?? ""),
      );
      return { start, similarity: likeness.reduce((sum, value) => sum + value, 0) / weight };
    })
    .toSorted((a, b) => b.similarity - a.similarity || a.start - b.start)
    .find(({ similarity }) => similarity >= similarEnough);
}

function splitLines(text: string): string[] {
  return text.split(/\r?\n/);
}

function squeeze(line: string): string {
  return line.slice(0, maxLineLength).replace(/\s+/g, " ").trim();
}

interface Pairs {
  readonly line: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

function countPairs(text: string): Pairs {
  const line = squeeze(text);
  const counts = new Map<string, number>();
  for (let index = 0; index + 1 < line.length; index++) {
    const pair = line.slice(index, index + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { line, counts, total: Math.max(0, line.length - 1) };
}

/** How many pairs of letters two lines share, from 0 to 1 (Dice); spaces count as one. */
function measureSimilarity(wanted: Pairs, text: string): number {
  const line = squeeze(text);
  if (line === wanted.line) return 1;
  const total = wanted.total + Math.max(0, line.length - 1);
  if (total === 0) return 0;
  const left = new Map(wanted.counts);
  let shared = 0;
  for (let index = 0; index + 1 < line.length; index++) {
    const pair = line.slice(index, index + 2);
    const count = left.get(pair) ?? 0;
    if (count === 0) continue;
    left.set(pair, count - 1);
    shared++;
  }
  // Not 1 for lines that differ: 1 means equal.
  return Math.min(0.99, (2 * shared) / total);
}
