// Turns statistics rows into series for a chart: for each name one value per day, largest first, with small ones combined.

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

const maxSeries = 6;

export function listDays(count: number, now: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now);
    day.setDate(day.getDate() - (count - 1 - index));
    return `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, "0")}-${String(day.getDate()).padStart(2, "0")}`;
  });
}

export function buildSeries<Row extends { readonly day: string | null }>(
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
  if (series.length <= maxSeries) return series;
  const small = series.slice(maxSeries - 1);
  const rest = days.map((_, index) => sum(small.map(({ values }) => values[index] ?? 0)));
  return [...series.slice(0, maxSeries - 1), { name: "all others", values: rest }];
}

export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
