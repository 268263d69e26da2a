// Shows the hunks of a file's change, unified or side by side, coloured as code, with changed words marked. Of a long change it first shows the
// beginning. It needs only the hunks, and is the one view of a change on the page.

import type { Hunk } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import { Fragment, memo, type ReactNode, useMemo } from "react";
import { useHunkColours } from "../../hooks/use-hunk-colours.ts";
import { splitDiffs } from "../../stores/preferences.ts";
import type { LinePiece } from "../../text/coloured-line.ts";
import { detectLanguage } from "../../text/detect-language.ts";
import { compareLastNewline, type DiffRow, readDiffRows } from "../../text/line-diff.ts";
import { visibleInLine } from "../../text/visible.ts";
import { changeRuns } from "../../text/word-diff.ts";

/** More lines than this are not coloured. */
const maxColouredRows = 3000;

interface DiffViewProps {
  readonly path: string;
  readonly hunks: readonly Hunk[];
  readonly label: string;
  /** How many rows are shown. The caller says how the rest is opened. */
  readonly maxRows: number;
  readonly tools?: DiffTools | undefined;
}

/** Controls that a view adds to the rows of a change. */
export interface DiffTools {
  /** Behind the head of a hunk. */
  readonly hunkEnd: (hunk: Hunk) => ReactNode;
  /** A line of the file after the change was chosen. */
  readonly onLine: (line: number, text: string) => void;
  /** A drag from one line to another chooses the lines between them. */
  readonly onPress: (line: number) => void;
  readonly onRelease: (line: number, text: string) => void;
  /** Below a line of the file after the change. */
  readonly below: (line: number) => ReactNode;
}

export const DiffView = memo(function DiffView({ path, hunks, label, maxRows, tools }: DiffViewProps) {
  const isSplit = useStore(splitDiffs);
  const shown = useMemo(() => firstRows(hunks, maxRows), [hunks, maxRows]);
  const total = shown.reduce((sum, { rows }) => sum + rows.length, 0);
  const language = total > maxColouredRows ? null : detectLanguage(path);
  const lastNewline = compareLastNewline(hunks);
  return (
    <>
      <div className="diff" tabIndex={0} role="region" aria-label={`Change of ${label}`} dir="ltr">
        {shown.map(({ hunk, rows }, index) => (
          <HunkRows
            key={index}
            hunk={hunk}
            rows={rows}
            language={language}
            isSplit={isSplit}
            tools={tools}
            isFirst={index === 0}
          />
        ))}
      </div>
      {lastNewline !== "same" && <p className="hint">Newline at the end of the file {lastNewline}.</p>}
    </>
  );
});

interface ShownHunk {
  readonly hunk: Hunk;
  readonly rows: readonly DiffRow[];
}

function firstRows(hunks: readonly Hunk[], maxRows: number): readonly ShownHunk[] {
  const shown: ShownHunk[] = [];
  let left = maxRows;
  for (const hunk of hunks) {
    if (left <= 0) break;
    const rows = readDiffRows(hunk).slice(0, left);
    left -= rows.length;
    shown.push({ hunk, rows });
  }
  return shown;
}

interface HunkProps extends ShownHunk {
  readonly language: string | null;
  readonly isSplit: boolean;
  readonly tools: DiffTools | undefined;
  readonly isFirst: boolean;
}

function HunkRows({ hunk, rows, language, isSplit, tools, isFirst }: HunkProps) {
  const piecesOf = useHunkColours(rows, language);
  return (
    <>
      {(!isFirst || tools !== undefined) && (
        <p className="hunk-head">
          {formatRange(hunk)}
          {tools?.hunkEnd(hunk)}
        </p>
      )}
      {isSplit ? (
        <Split rows={rows} piecesOf={piecesOf} tools={tools} />
      ) : (
        <Unified rows={rows} piecesOf={piecesOf} tools={tools} />
      )}
    </>
  );
}

const number = (line: number) => line.toLocaleString("en");

/** Where the hunk is in the file as it will be; of a deletion, where it was. */
function formatRange({
  old_start: oldStart,
  old_lines: oldLines,
  new_start: newStart,
  new_lines: newLines,
}: Hunk): string {
  const [start, count] = newLines > 0 ? [newStart, newLines] : [oldStart, oldLines];
  return count > 1 ? `lines ${number(start)} – ${number(start + count - 1)}` : `line ${number(start)}`;
}

interface RowsProps {
  readonly rows: readonly DiffRow[];
  readonly piecesOf: (row: DiffRow) => readonly LinePiece[];
  readonly tools: DiffTools | undefined;
}

function Unified({ rows, piecesOf, tools }: RowsProps) {
  return rows.map((row, index) => (
    <Fragment key={index}>
      <div className="diff-row" data-type={row.type}>
        <LineNumber line={row.type === "added" ? row.after : row.before} row={row} tools={tools} />
        <Sign type={row.type} />
        <Text pieces={piecesOf(row)} />
      </div>
      {row.type !== "removed" && tools?.below(row.after)}
    </Fragment>
  ));
}

/** A button where a comment can be written. */
function LineNumber({ line, row, tools }: { line: number; row: DiffRow; tools: DiffTools | undefined }) {
  if (tools === undefined || row.type === "removed") return <i>{line}</i>;
  const { after, text } = row;
  return (
    <button
      type="button"
      className="line-number"
      aria-label={`Comment on line ${after}`}
      onPointerDown={({ currentTarget, pointerId }) => {
        // Where a finger or the mouse goes up counts, not where it went down.
        if (currentTarget.hasPointerCapture(pointerId)) currentTarget.releasePointerCapture(pointerId);
        tools.onPress(after);
      }}
      onPointerUp={() => tools.onRelease(after, text)}
      onClick={() => tools.onLine(after, text)}
    >
      {line}
    </button>
  );
}

function Split({ rows, piecesOf, tools }: RowsProps) {
  const runs = new Map(changeRuns(rows).map((run) => [run.removed[0] ?? run.added[0], run]));
  const pairs: (readonly [DiffRow | undefined, DiffRow | undefined])[] = [];
  for (const row of rows) {
    if (row.type === "same") pairs.push([row, row]);
    const run = runs.get(row);
    if (run === undefined) continue;
    for (let i = 0; i < Math.max(run.removed.length, run.added.length); i++) pairs.push([run.removed[i], run.added[i]]);
  }
  return pairs.map(([left, right], index) => (
    <Fragment key={index}>
      <div className="diff-pair">
        <Half row={left} piecesOf={piecesOf} side="before" tools={undefined} />
        <Half row={right} piecesOf={piecesOf} side="after" tools={tools} />
      </div>
      {right !== undefined && right.type !== "removed" && tools?.below(right.after)}
    </Fragment>
  ));
}

interface HalfProps {
  readonly row: DiffRow | undefined;
  readonly piecesOf: RowsProps["piecesOf"];
  readonly side: "before" | "after";
  readonly tools: DiffTools | undefined;
}

function Half({ row, piecesOf, side, tools }: HalfProps) {
  if (row === undefined) return <div className="diff-row" data-type="none" />;
  const line = row.type === "same" ? row[side] : row.type === "added" ? row.after : row.before;
  return (
    <div className="diff-row" data-type={row.type}>
      <LineNumber line={line} row={row} tools={tools} />
      <Sign type={row.type} />
      <Text pieces={piecesOf(row)} />
    </div>
  );
}

function Sign({ type }: { type: DiffRow["type"] }) {
  return <b className="sign">{type === "added" ? "+" : type === "removed" ? "−" : " "}</b>;
}

function Text({ pieces }: { pieces: readonly LinePiece[] }) {
  return (
    <span>
      {pieces.map(({ text: written, changed, color }, index) => {
        const text = visibleInLine(written, index === pieces.length - 1);
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
