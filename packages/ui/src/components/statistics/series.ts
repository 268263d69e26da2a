// Rows of statistics as what a chart draws: for every name one value per day, the biggest first, the small ones together.

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

const most = 6;

export function daysOf(count: number, now: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now);
    day.setDate(day.getDate() - (count - 1 - index));
    return `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, "0")}-${String(day.getDate()).padStart(2, "0")}`;
  });
}

export function seriesOf<Row extends { readonly day: string | null }>(
  rows: readonly Row[],
  days: readonly string[],
  nameOf: (row: Row) => string,
  valueOf: (row: Row) => number,
): readonly Series[] {
  const at = new Map(days.map((day, index) => [day, index]));
  const found = new Map<string, number[]>();
  for (const row of rows) {
    const index = at.get(row.day ?? "");
    const value = valueOf(row);
    if (index === undefined || value === 0) continue;
    const values = found.get(nameOf(row)) ?? days.map(() => 0);
    values[index] = (values[index] ?? 0) + value;
    found.set(nameOf(row), values);
  }
  const series = [...found]
    .map(([name, values]) => ({ name, values }))
    .toSorted((a, b) => sum(b.values) - sum(a.values));
  if (series.length <= most) return series;
  const small = series.slice(most - 1);
  const rest = days.map((_, index) => sum(small.map(({ values }) => values[index] ?? 0)));
  return [...series.slice(0, most - 1), { name: "the rest", values: rest }];
}

export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
