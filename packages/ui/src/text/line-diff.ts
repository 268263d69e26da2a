// The difference of two texts by lines (Myers), as hunks with a little context. Bounded: texts that differ in very many places are
// shown as one block that went and one that came, because nobody reads more and it must not cost seconds.

export type DiffRow =
  | { readonly type: "same"; readonly before: number; readonly after: number; readonly text: string }
  | { readonly type: "removed"; readonly before: number; readonly text: string }
  | { readonly type: "added"; readonly after: number; readonly text: string };

export interface Diff {
  readonly hunks: readonly (readonly DiffRow[])[];
  readonly added: number;
  readonly removed: number;
}

const context = 3;
const mostEdits = 800;

export function diffLines(before: string, after: string): Diff {
  const rows = rowsOf(linesOf(before), linesOf(after));
  return {
    hunks: hunksOf(rows),
    added: rows.filter((row) => row.type === "added").length,
    removed: rows.filter((row) => row.type === "removed").length,
  };
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function rowsOf(a: readonly string[], b: readonly string[]): readonly DiffRow[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const rows: DiffRow[] = [];
  const same = (from: number, to: number, shift: number) => {
    for (let i = from; i < to; i++) rows.push({ type: "same", before: i + 1, after: i + shift + 1, text: a[i] ?? "" });
  };
  same(0, start, 0);
  for (const row of middleOf(a.slice(start, a.length - end), b.slice(start, b.length - end))) {
    rows.push(shifted(row, start));
  }
  same(a.length - end, a.length, b.length - a.length);
  return rows;
}

function shifted(row: DiffRow, by: number): DiffRow {
  switch (row.type) {
    case "same":
      return { ...row, before: row.before + by, after: row.after + by };
    case "removed":
      return { ...row, before: row.before + by };
    case "added":
      return { ...row, after: row.after + by };
  }
}

function middleOf(a: readonly string[], b: readonly string[]): readonly DiffRow[] {
  const pairs = longestCommon(a, b);
  const rows: DiffRow[] = [];
  let i = 0;
  let j = 0;
  const upTo = (x: number, y: number) => {
    for (; i < x; i++) rows.push({ type: "removed", before: i + 1, text: a[i] ?? "" });
    for (; j < y; j++) rows.push({ type: "added", after: j + 1, text: b[j] ?? "" });
  };
  for (const [x, y] of pairs) {
    upTo(x, y);
    rows.push({ type: "same", before: ++i, after: ++j, text: a[x] ?? "" });
  }
  upTo(a.length, b.length);
  return rows;
}

/** Index pairs of a longest common subsequence, by Myers' greedy search; none when there are too many edits. */
export function longestCommon<Item>(a: readonly Item[], b: readonly Item[]): readonly (readonly [number, number])[] {
  const most = Math.min(a.length + b.length, mostEdits);
  const reach = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(new Map(reach));
    for (let k = -edits; k <= edits; k += 2) {
      const down = reach.get(k + 1) ?? -1;
      const right = reach.get(k - 1) ?? -1;
      let x = k === -edits || (k !== edits && right < down) ? down : right + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      reach.set(k, x);
      if (x >= a.length && y >= b.length) return backtrack(trace, a.length, b.length);
    }
  }
  return [];
}

function backtrack(trace: readonly ReadonlyMap<number, number>[], toX: number, toY: number) {
  const pairs: (readonly [number, number])[] = [];
  let x = toX;
  let y = toY;
  for (let edits = trace.length - 1; edits >= 0 && (x > 0 || y > 0); edits--) {
    const reach = trace[edits];
    const k = x - y;
    const down = reach?.get(k + 1) ?? -1;
    const right = reach?.get(k - 1) ?? -1;
    const wentDown = k === -edits || (k !== edits && right < down);
    const fromK = wentDown ? k + 1 : k - 1;
    const fromX = reach?.get(fromK) ?? 0;
    const fromY = fromX - fromK;
    while (x > fromX && y > fromY) pairs.push([--x, --y]);
    x = Math.max(0, fromX);
    y = Math.max(0, fromY);
  }
  return pairs.toReversed();
}

function hunksOf(rows: readonly DiffRow[]): readonly (readonly DiffRow[])[] {
  const hunks: DiffRow[][] = [];
  let lastShown = -1;
  rows.forEach((row, index) => {
    if (row.type === "same") return;
    const from = Math.max(lastShown + 1, index - context);
    const isNew = from > lastShown + 1 || hunks.length === 0;
    const hunk = isNew ? [] : (hunks.at(-1) ?? []);
    if (isNew) hunks.push(hunk);
    let to = index;
    while (to + 1 < rows.length && to < index + context && rows[to + 1]?.type === "same") to++;
    for (let i = Math.max(from, lastShown + 1); i <= to; i++) {
      const shown = rows[i];
      if (shown !== undefined) hunk.push(shown);
    }
    lastShown = Math.max(lastShown, to);
  });
  return hunks;
}
