// Shows a file change, unified or side by side, coloured as code, with changed words marked. Of a long diff it first shows the beginning.
import { memo, useCallback, useMemo, useState } from "react";
import { useStore } from "../../hooks/use-store.ts";
import { useTokens } from "../../hooks/use-tokens.ts";
import { splitDiffs } from "../../stores/preferences.ts";
import { colouredPieces, type LinePiece } from "../../text/coloured-line.ts";
import { languageOf } from "../../text/language-of.ts";
import { type Diff, type DiffRow, diffLines } from "../../text/line-diff.ts";
import { changeRuns, wordsByRow } from "../../text/word-diff.ts";
import type { FileChange } from "./file-changes.ts";

const firstRows = 60;
const maxLineLength = 5000;
/** Larger texts are not compared. */
const maxCharacters = 2_000_000;

const known = new WeakMap<object, Diff>();

/** Null when the texts are not loaded in full, or too large to compare. Cached by the row's content object, because the head counts it and the body shows it. */
export function diffOf(source: object, { before, after, wholeTexts }: FileChange): Diff | null {
  if (wholeTexts !== null || before.length + after.length > maxCharacters) return null;
  const cached = known.get(source);
  if (cached !== undefined) return cached;
  const diff = diffLines(before, after);
  known.set(source, diff);
  return diff;
}

export const DiffView = memo(function DiffView({
  diff,
  change,
  label,
}: {
  diff: Diff;
  /** The texts give the colours of code; without them the lines are plain. */
  change: Pick<FileChange, "path" | "before" | "after">;
  label: string;
}) {
  const isSplit = useStore(splitDiffs);
  const [isWhole, setWhole] = useState(false);
  const rows = useMemo(() => diff.hunks.flat(), [diff]);
  const shown = isWhole ? rows : rows.slice(0, firstRows);
  const words = useMemo(() => wordsByRow(shown), [shown]);
  const language = languageOf(change.path);
  const before = useTokens(change.before, language);
  const after = useTokens(change.after, language);
  const textOf = useCallback(
    (row: DiffRow) => {
      const tokens = row.type === "removed" ? before?.[row.before - 1] : after?.[row.after - 1];
      return colouredPieces(row.text.slice(0, maxLineLength), words.get(row), tokens);
    },
    [before, after, words],
  );
  const starts = useMemo(() => new Set(diff.hunks.slice(1).map((hunk) => hunk[0])), [diff]);
  if (rows.length === 0) return <p className="hint">No changes.</p>;
  return (
    <div className="diff-frame">
      <div className="diff-tools">
        <button type="button" aria-pressed={isSplit} onClick={() => splitDiffs.set(!isSplit)}>
          Side by side
        </button>
      </div>
      <div className="diff" tabIndex={0} role="region" aria-label={`Change of ${label}`} dir="ltr">
        {isSplit ? <Split rows={shown} textOf={textOf} /> : <Unified rows={shown} textOf={textOf} starts={starts} />}
      </div>
      {diff.isRough && (
        <p className="hint">
          Too many changes to compare line by line: everything between the first and the last change is shown as
          changed.
        </p>
      )}
      {diff.lastNewline !== "same" && <p className="hint">Newline at the end of the file {diff.lastNewline}.</p>}
      {rows.length > shown.length && (
        <button type="button" className="more" onClick={() => setWhole(true)}>
          Show all {rows.length.toLocaleString("en")} lines
        </button>
      )}
    </div>
  );
});

type TextOf = (row: DiffRow) => readonly LinePiece[];

function Unified({ rows, textOf, starts }: { rows: readonly DiffRow[]; textOf: TextOf; starts: ReadonlySet<unknown> }) {
  return rows.map((row, index) => (
    <div key={index} className="diff-row" data-type={row.type} data-hunk={starts.has(row) || undefined}>
      <i>{row.type === "added" ? row.after : row.before}</i>
      <Sign type={row.type} />
      <Text pieces={textOf(row)} />
    </div>
  ));
}

function Split({ rows, textOf }: { rows: readonly DiffRow[]; textOf: TextOf }) {
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
      <Half row={left} textOf={textOf} side="before" />
      <Half row={right} textOf={textOf} side="after" />
    </div>
  ));
}

function Half({ row, textOf, side }: { row: DiffRow | undefined; textOf: TextOf; side: "before" | "after" }) {
  if (row === undefined) return <div className="diff-row" data-type="none" />;
  const line = row.type === "same" ? row[side] : row.type === "added" ? row.after : row.before;
  return (
    <div className="diff-row" data-type={row.type}>
      <i>{line}</i>
      <Sign type={row.type} />
      <Text pieces={textOf(row)} />
    </div>
  );
}

function Sign({ type }: { type: DiffRow["type"] }) {
  return <b className="sign">{type === "added" ? "+" : type === "removed" ? "−" : " "}</b>;
}

function Text({ pieces }: { pieces: readonly LinePiece[] }) {
  return (
    <span>
      {pieces.map(({ text, changed, color }, index) => {
        if (changed) return <mark key={index}>{text}</mark>;
        return color === undefined ? (
          text
        ) : (
          <span key={index} style={{ color }}>
            {text}
          </span>
        );
      })}
    </span>
  );
}
