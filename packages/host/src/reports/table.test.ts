import { describe, expect, it } from "vitest";
import { type Look, plain } from "./look.ts";
import { type Column, table } from "./table.ts";
import { fit, widthOf } from "./text-width.ts";

const look = (width: number): Look => ({ isTerminal: true, width, paint: plain, now: 0 });

const rows = [
  { id: "t1", agent: "claude-code", title: "Mend the test that fails on Tuesdays" },
  { id: "t2", agent: "demo", title: "漢字 title" },
];
const columns: readonly Column<(typeof rows)[number]>[] = [
  { heading: "ID", cell: ({ id }) => id },
  { heading: "AGENT", cell: ({ agent }) => agent, goes: 1 },
  { heading: "TITLE", cell: ({ title }) => title, shrinksTo: 10 },
];

describe("a table", () => {
  it("shows everything where there is room", () => {
    expect(table(rows, columns, look(Number.POSITIVE_INFINITY))).toBe(
      "ID  AGENT        TITLE\nt1  claude-code  Mend the test that fails on Tuesdays\nt2  demo         漢字 title\n",
    );
  });

  it("cuts long columns first, then drops the less important ones, and never breaks a line", () => {
    expect(table(rows, columns, look(34))).toBe(
      "ID  AGENT        TITLE\nt1  claude-code  Mend the test th…\nt2  demo         漢字 title\n",
    );
    expect(table(rows, columns, look(20))).toBe("ID  TITLE\nt1  Mend the test t…\nt2  漢字 title\n");
    for (let width = 14; width < 60; width++) {
      for (const line of table(rows, columns, look(width)).split("\n"))
        expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
  });

  it("keeps a cell on its line, whatever is in it", () => {
    const evil = [{ id: "a\nb\x1b[2J", agent: "", title: "" }];
    expect(table(evil, columns.slice(0, 1), look(80))).toBe("ID\na b\n");
  });
});

describe("cutting to a width", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["漢字漢字", 5, "漢字…"],
    ["漢字漢字", 4, "漢…"],
    ["🎉🎉", 4, "🎉🎉"],
    ["e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"],
    ["abc", 0, ""],
  ])("%s to %i columns", (text, width, cut) => {
    expect(fit(text, width)).toBe(cut);
    expect(widthOf(cut)).toBeLessThanOrEqual(width);
  });
});
