// Lays out rows in columns that fit a width: first long columns are truncated, then less important ones are left out.
import { cleanLine } from "./clean-text.ts";
import type { Layout, Paint, Style } from "./layout.ts";
import { fit, measureWidth, pad } from "./text-width.ts";

export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  readonly align?: "left" | "right";
  /** It may be truncated to this width; without it, never. */
  readonly minWidth?: number;
  /** Columns with a higher number are left out first; without a number, never. */
  readonly dropOrder?: number;
  readonly paint?: (row: Row, paint: Paint) => Style;
}

const gap = "  ";

export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], layout: Layout): string {
  const cells = rows.map((row) => columns.map((column) => cleanLine(column.cell(row))));
  const natural = columns.map((column, at) =>
    Math.max(measureWidth(column.heading), ...cells.map((line) => measureWidth(line[at] ?? ""))),
  );
  const widths = chooseColumnWidths(columns, natural, layout.width);
  const draw = (line: readonly string[], style: (at: number) => Style) => {
    const shown = columns.flatMap((column, at) => {
      const width = widths[at] ?? 0;
      return width === 0 ? [] : [style(at)(pad(fit(line[at] ?? "", width), width, column.align))];
    });
    return shown.join(gap).trimEnd();
  };
  const heading = draw(
    columns.map((column) => column.heading),
    () => layout.paint.dim,
  );
  const body = rows.map((row, index) =>
    draw(cells[index] ?? [], (at) => columns[at]?.paint?.(row, layout.paint) ?? ((text) => text)),
  );
  return `${[heading, ...body].join("\n")}\n`;
}

/** The width of each column; 0 where it was left out. */
function chooseColumnWidths(
  columns: readonly Column<never>[],
  natural: readonly number[],
  room: number,
): readonly number[] {
  const widths = [...natural];
  const sumWidths = () => widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + gap.length), -gap.length);
  for (;;) {
    shrink(columns, widths, sumWidths() - room);
    if (sumWidths() <= room) return widths;
    const [next] = columns
      .map((column, at) => ({ at, dropOrder: column.dropOrder ?? 0 }))
      .filter(({ at, dropOrder }) => dropOrder > 0 && (widths[at] ?? 0) > 0)
      .toSorted((a, b) => b.dropOrder - a.dropOrder);
    if (next === undefined) return widths;
    for (const at of widths.keys()) if (widths[at] !== 0) widths[at] = natural[at] ?? 0;
    widths[next.at] = 0;
  }
}

/** Narrows the widest column that may be truncated, one column at a time. */
function shrink(columns: readonly Column<never>[], widths: number[], excess: number): void {
  for (let left = excess; left > 0; left--) {
    let widest = -1;
    for (const [at, column] of columns.entries()) {
      const width = widths[at] ?? 0;
      if (column.minWidth !== undefined && width > column.minWidth && width > (widths[widest] ?? 0)) widest = at;
    }
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}
