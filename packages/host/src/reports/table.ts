// Rows in columns that fit the width: first the long columns give way, then the less important ones go.
import { cleanLine } from "./clean-text.ts";
import type { Look, Paint, Style } from "./look.ts";
import { fit, pad, widthOf } from "./text-width.ts";

export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  readonly align?: "left" | "right";
  /** It may be cut to this many columns; without it, never. */
  readonly shrinksTo?: number;
  /** The higher, the sooner it goes where there is no room; without it, never. */
  readonly goes?: number;
  readonly paint?: (row: Row, paint: Paint) => Style;
}

const gap = "  ";

export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], look: Look): string {
  const cells = rows.map((row) => columns.map((column) => cleanLine(column.cell(row))));
  const natural = columns.map((column, at) =>
    Math.max(widthOf(column.heading), ...cells.map((line) => widthOf(line[at] ?? ""))),
  );
  const widths = layOut(columns, natural, look.width);
  const draw = (line: readonly string[], style: (at: number) => Style) => {
    const shown = columns.flatMap((column, at) => {
      const width = widths[at] ?? 0;
      return width === 0 ? [] : [style(at)(pad(fit(line[at] ?? "", width), width, column.align))];
    });
    return shown.join(gap).trimEnd();
  };
  const heading = draw(
    columns.map((column) => column.heading),
    () => look.paint.dim,
  );
  const body = rows.map((row, index) =>
    draw(cells[index] ?? [], (at) => columns[at]?.paint?.(row, look.paint) ?? ((text) => text)),
  );
  return `${[heading, ...body].join("\n")}\n`;
}

/** The width of each column; 0 where it had to go. */
function layOut(columns: readonly Column<never>[], natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + gap.length), -gap.length);
  for (;;) {
    shrink(columns, widths, total() - room);
    if (total() <= room) return widths;
    const [next] = columns
      .map((column, at) => ({ at, goes: column.goes ?? 0 }))
      .filter(({ at, goes }) => goes > 0 && (widths[at] ?? 0) > 0)
      .toSorted((a, b) => b.goes - a.goes);
    if (next === undefined) return widths;
    for (const at of widths.keys()) if (widths[at] !== 0) widths[at] = natural[at] ?? 0;
    widths[next.at] = 0;
  }
}

/** Takes what is too much from the widest column that may give, again and again. */
function shrink(columns: readonly Column<never>[], widths: number[], excess: number): void {
  for (let left = excess; left > 0; left--) {
    let widest = -1;
    for (const [at, column] of columns.entries()) {
      const width = widths[at] ?? 0;
      if (column.shrinksTo !== undefined && width > column.shrinksTo && width > (widths[widest] ?? 0)) widest = at;
    }
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}
