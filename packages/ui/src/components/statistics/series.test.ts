import { describe, expect, it } from "vitest";
import { buildSeries, listDays } from "./series.ts";

describe("what a chart draws", () => {
  it("has a value for every day, the biggest name first", () => {
    const days = ["2026-01-01", "2026-01-02"];
    const rows = [
      { day: "2026-01-01", kind: "read", count: 1 },
      { day: "2026-01-02", kind: "edit", count: 5 },
      { day: "2026-01-02", kind: "read", count: 2 },
      { day: "2025-12-31", kind: "read", count: 99 },
    ];
    const series = buildSeries(
      rows,
      days,
      (row) => row.kind,
      (row) => row.count,
    );
    expect(series).toEqual([
      { name: "edit", values: [0, 5] },
      { name: "read", values: [1, 2] },
    ]);
  });

  it("puts many small ones together", () => {
    const rows = Array.from({ length: 9 }, (_, index) => ({ day: "d", name: `n${index}`, value: index + 1 }));
    const series = buildSeries(
      rows,
      ["d"],
      (row) => row.name,
      (row) => row.value,
    );
    expect(series.map(({ name, values }) => `${name} ${values[0]}`)).toEqual([
      "n8 9",
      "n7 8",
      "n6 7",
      "n5 6",
      "n4 5",
      "all others 10",
    ]);
  });

  it("names the days up to today", () => {
    expect(listDays(3, new Date(2026, 2, 1, 12).getTime())).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  });
});
