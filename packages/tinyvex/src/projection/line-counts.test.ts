import { describe, expect, it } from "vitest";
import { countChangedLines } from "./line-counts.ts";

const lines = (count: number, text = (index: number) => `line ${index}`) =>
  Array.from({ length: count }, (_, index) => `${text(index)}\n`).join("");

describe("the lines that a change adds and removes", () => {
  it.each([
    ["", "a\nb\n", 2, 0],
    ["a\nb\n", "", 0, 2],
    ["a\nb\nc\n", "a\nB\nc\n", 1, 1],
    ["a\nb\n", "a\nb", 1, 1],
    ["a\nb\nc\nd\n", "b\nc\nx\nd\ne\n", 2, 1],
    ["same\n", "same\n", 0, 0],
  ])("from %j to %j are %d and %d", (before, after, added, removed) => {
    expect(countChangedLines(before, after)).toEqual({ added, removed });
  });

  it("are not counted where the texts differ too much to compare quickly", () => {
    const other = lines(2000, (index) => `other ${index}`);
    expect(countChangedLines(lines(2000), other)).toEqual({ added: null, removed: null });
    expect(countChangedLines(lines(2000), `${lines(2000)}end\n`)).toEqual({ added: 1, removed: 0 });
  });
});
