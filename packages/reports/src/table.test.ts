import { describe, expect, it } from "vitest";
import { type Layout, plain } from "./layout.ts";
import { type Column, formatTable } from "./table.ts";
import { fit, measureWidth } from "./text-width.ts";

const terminal = (width: number): Layout => ({ isTerminal: true, width, paint: plain, now: 0 });

const rows = [
  { id: "t1", agent: "claude-code", title: "Mend the test that fails on Tuesdays" },
  { id: "t2", agent: "demo", title: "漢字 title" },
];
const columns: readonly Column<(typeof rows)[number]>[] = [
  { heading: "ID", cell: ({ id }) => id },
  { heading: "AGENT", cell: ({ agent }) => agent, dropOrder: 1 },
  { heading: "TITLE", cell: ({ title }) => title, minWidth: 10 },
];

describe("a table", () => {
  it("shows everything where it fits", () => {
    expect(formatTable(rows, columns, terminal(Number.POSITIVE_INFINITY))).toBe(
      "ID  AGENT        TITLE\nt1  claude-code  Mend the test that fails on Tuesdays\nt2  demo         漢字 title\n",
    );
  });

  it("truncates long columns first, then leaves out less important ones, and never breaks a line", () => {
    expect(formatTable(rows, columns, terminal(34))).toBe(
      "ID  AGENT        TITLE\nt1  claude-code  Mend the test th…\nt2  demo         漢字 title\n",
    );
    expect(formatTable(rows, columns, terminal(20))).toBe("ID  TITLE\nt1  Mend the test t…\nt2  漢字 title\n");
    for (let width = 14; width < 60; width++) {
      for (const line of formatTable(rows, columns, terminal(width)).split("\n"))
        expect(measureWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  it("keeps a cell on one line, whatever it contains", () => {
    const evil = [{ id: "a\nb\x1b[2J", agent: "", title: "" }];
    expect(formatTable(evil, columns.slice(0, 1), terminal(80))).toBe("ID\na b\n");
  });
});

describe("truncating to a width", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["漢字漢字", 5, "漢字…"],
    ["漢字漢字", 4, "漢…"],
    ["🎉🎉", 4, "🎉🎉"],
    ["e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"],
    ["abc", 0, ""],
  ])("%s to %i columns", (text, width, truncated) => {
    expect(fit(text, width)).toBe(truncated);
    expect(measureWidth(truncated)).toBeLessThanOrEqual(width);
  });
});
