// Counts the lines that a change of a text added and removed: the shortest edit of Myers' algorithm, of which only the length is needed.

export interface LineCounts {
  /** Null where the texts differ too much to be compared while the writer waits. */
  readonly added: number | null;
  readonly removed: number | null;
}

const maxEdits = 500;

export function countChangedLines(before: string, after: string): LineCounts {
  const { a, b } = differingPart(linesOf(before), linesOf(after));
  const edits = a.length === 0 || b.length === 0 ? a.length + b.length : editLength(a, b);
  if (edits === null) return { added: null, removed: null };
  return { added: (edits + b.length - a.length) / 2, removed: (edits + a.length - b.length) / 2 };
}

/** With their newlines: a text that loses its last newline has a changed line. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function differingPart(before: readonly string[], after: readonly string[]) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { a: before.slice(start, before.length - end), b: after.slice(start, after.length - end) };
}

/** How many lines must be removed and added; null when more than `maxEdits`. */
function editLength(a: readonly string[], b: readonly string[]): number | null {
  /** How far into `a` the best path on each diagonal has come. */
  const reached = new Map<number, number>([[1, 0]]);
  const at = (diagonal: number) => reached.get(diagonal) ?? -1;
  for (let edits = 0; edits <= maxEdits; edits++) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const isAddition = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
      let x = isAddition ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reached.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return edits;
    }
  }
  return null;
}
