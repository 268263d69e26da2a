// A change of a file: unified or side by side, the changed words marked. A big one begins folded.
import { memo, useMemo, useState } from "react";
import { useStore } from "../../hooks/use-store.ts";
import { splitDiffs } from "../../stores/preferences.ts";
import { type Diff, type DiffRow, diffLines } from "../../text/line-diff.ts";
import { changeRuns, type WordPiece, wordsByRow } from "../../text/word-diff.ts";

const firstRows = 60;
/** What nobody reads line by line is not compared line by line. */
const mostCharacters = 2_000_000;

export interface FileChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

const known = new WeakMap<object, Diff>();

/** Cached by the content that the row carries: the head counts it and the body shows it. */
export function diffOf(source: object, { before, after }: FileChange): Diff | null {
  if (before.length + after.length > mostCharacters) return null;
  const cached = known.get(source);
  if (cached !== undefined) return cached;
  const diff = diffLines(before, after);
  known.set(source, diff);
  return diff;
}

export const DiffView = memo(function DiffView({ diff, path }: { diff: Diff; path: string }) {
  const isSplit = useStore(splitDiffs);
  const [isWhole, setWhole] = useState(false);
  const rows = useMemo(() => diff.hunks.flat(), [diff]);
  const shown = isWhole ? rows : rows.slice(0, firstRows);
  const words = useMemo(() => wordsByRow(shown), [shown]);
  const starts = useMemo(() => new Set(diff.hunks.slice(1).map((hunk) => hunk[0])), [diff]);
  if (rows.length === 0) return <p className="hint">No lines differ.</p>;
  return (
    <div className="diff-frame">
      <div className="diff-tools">
        <button type="button" aria-pressed={isSplit} onClick={() => splitDiffs.set(!isSplit)}>
          Side by side
        </button>
      </div>
      <div className="diff" tabIndex={0} role="region" aria-label={`Change of ${path}`} dir="ltr">
        {isSplit ? <Split rows={shown} words={words} /> : <Unified rows={shown} words={words} starts={starts} />}
      </div>
      {rows.length > shown.length && (
        <button type="button" className="more" onClick={() => setWhole(true)}>
          Show all {rows.length.toLocaleString("en")} lines
        </button>
      )}
    </div>
  );
});

type Words = ReadonlyMap<DiffRow, readonly WordPiece[]>;

function Unified({ rows, words, starts }: { rows: readonly DiffRow[]; words: Words; starts: ReadonlySet<unknown> }) {
  return rows.map((row, index) => (
    <div key={index} className="diff-row" data-type={row.type} data-hunk={starts.has(row) || undefined}>
      <i>{row.type === "added" ? row.after : row.before}</i>
      <Sign type={row.type} />
      <Text row={row} words={words} />
    </div>
  ));
}

function Split({ rows, words }: { rows: readonly DiffRow[]; words: Words }) {
  const runs = new Map(changeRuns(rows).map((run) => [run.removed[0] ?? run.added[0], run]));
  const pairs: (readonly [DiffRow | undefined, DiffRow | undefined])[] = [];
  for (const row of rows) {
    if (row.type === "same") pairs.push([row, row]);
    const run = runs.get(row);
    if (run === undefined) continue;
    for (let i = 0; i < Math.max(run.removed.length, run.added.length); i++) pairs.push([run.removed[i], run.added[i]]);
  }
  return pairs.map(([left, right], index) => (
    <div key={index} className="diff-pair">
      <Half row={left} words={words} side="before" />
      <Half row={right} words={words} side="after" />
    </div>
  ));
}

function Half({ row, words, side }: { row: DiffRow | undefined; words: Words; side: "before" | "after" }) {
  if (row === undefined) return <div className="diff-row" data-type="none" />;
  const line = row.type === "same" ? row[side] : row.type === "added" ? row.after : row.before;
  return (
    <div className="diff-row" data-type={row.type}>
      <i>{line}</i>
      <Sign type={row.type} />
      <Text row={row} words={words} />
    </div>
  );
}

function Sign({ type }: { type: DiffRow["type"] }) {
  return <b className="sign">{type === "added" ? "+" : type === "removed" ? "−" : " "}</b>;
}

function Text({ row, words }: { row: DiffRow; words: Words }) {
  const pieces = words.get(row);
  if (pieces === undefined) return <span>{row.text.slice(0, 5000)}</span>;
  return (
    <span>{pieces.map((piece, index) => (piece.changed ? <mark key={index}>{piece.text}</mark> : piece.text))}</span>
  );
}
