import { compareLines } from "@signalbox/protocol/compare-lines";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareLastNewline, readDiffRows } from "./line-diff.ts";
import { diffWords, wordsByRow } from "./word-diff.ts";

const hunkLines = (before: string, after: string) => compareLines(before, after).hunks.map(({ lines }) => lines);
const rowsBetween = (before: string, after: string) => compareLines(before, after).hunks.flatMap(readDiffRows);

describe("the difference of two texts", () => {
  it("shows what changed with three lines around it", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    expect(hunkLines(before, before.replace("5", "five"))).toEqual([
      [" 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"],
    ]);
  });

  it("makes two hunks of two distant changes and one of two near ones", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const text = lines.join("\n");
    expect(hunkLines(text, text.replace("line 3\n", "three\n").replace("line 25\n", "later\n"))).toHaveLength(2);
    expect(hunkLines(text, text.replace("line 3\n", "three\n").replace("line 8\n", "eight\n"))).toHaveLength(1);
  });

  it("counts a new file as added and an equal one as nothing", () => {
    expect(compareLines("", "a\nb\n")).toMatchObject({ added: 2, removed: 0 });
    expect(rowsBetween("", "a\nb\n")).toMatchObject([{ after: 1 }, { after: 2 }]);
    expect(rowsBetween("a\nb\n", "")).toMatchObject([{ before: 1 }, { before: 2 }]);
    expect(compareLines("a\n", "a\n")).toMatchObject({ hunks: [], added: 0, removed: 0, isRough: false });
  });

  it("numbers the lines as they stand before and after", () => {
    expect(rowsBetween("a\nb\nc", "a\nx\ny\nc")).toEqual([
      { type: "same", before: 1, after: 1, text: "a" },
      { type: "removed", before: 2, text: "b" },
      { type: "added", after: 2, text: "x" },
      { type: "added", after: 3, text: "y" },
      { type: "same", before: 3, after: 4, text: "c" },
    ]);
  });

  it("holds every line that changed, whatever the texts are", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 14 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const rows = rowsBetween(`START\n${a.join("\n")}`, `${b.join("\n")}\nEND`);
        const before = rows.filter((row) => row.type !== "added").map((row) => row.text);
        const after = rows.filter((row) => row.type !== "removed").map((row) => row.text);
        // Context is only left out far from changes; with changes at both ends of short texts nothing may be missing in between.
        const wholeBefore = `START\n${a.join("\n")}`.split("\n").filter((line) => line !== "");
        const wholeAfter = `${b.join("\n")}\nEND`.split("\n").filter((line) => line !== "");
        const missing = wholeBefore.length - before.filter((line) => line !== "").length;
        expect(wholeAfter.length - after.filter((line) => line !== "").length).toBe(missing);
        expect(before.every((line) => line === "" || wholeBefore.includes(line))).toBe(true);
      }),
    );
  });

  it("gives up on thousands of scattered changes instead of costing seconds", () => {
    const many = (word: string) => Array.from({ length: 5000 }, (_, index) => `${word} ${index * 7}`).join("\n");
    const start = performance.now();
    expect(compareLines(many("old"), many("new"))).toMatchObject({ added: 5000, removed: 5000, isRough: true });
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it("shows everything between the first and the last change when it gives up, with the right numbers", () => {
    const many = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word} ${index}`).join("\n");
    const { hunks, isRough } = compareLines(`a\nb\n${many("old")}\nz\n`, `a\nb\n${many("new")}\nz\n`);
    expect(isRough).toBe(true);
    const rows = hunks.flatMap(readDiffRows);
    expect(hunks).toMatchObject([{ old_start: 1, old_lines: 3003, new_start: 1, new_lines: 3003 }]);
    expect(rows.slice(0, 3)).toEqual([
      { type: "same", before: 1, after: 1, text: "a" },
      { type: "same", before: 2, after: 2, text: "b" },
      { type: "removed", before: 3, text: "old 0" },
    ]);
    expect(rows.at(-1)).toEqual({ type: "same", before: 3003, after: 3003, text: "z" });
  });

  it.each([
    ["a\nb", "a\nb\n", "added"],
    ["a\nb\n", "a\nb", "removed"],
    ["a\r\n", "a\n", "same"],
    ["a ", "a", "same"],
    ["\n", "", "same"],
    ["a\n\n", "a\n", "same"],
    ["", "a", "same"],
    ["a", "", "same"],
  ])("is never empty for texts that differ: %j to %j", (before, after, lastNewline) => {
    const { hunks } = compareLines(before, after);
    expect(hunks).not.toEqual([]);
    expect(compareLastNewline(hunks)).toBe(lastNewline);
  });
});

describe("words of a changed line", () => {
  it("marks the words that changed", () => {
    expect(diffWords("throw new UploadError(status)", "throw new RetryableError(status)")).toEqual({
      before: [
        { text: "throw new ", changed: false },
        { text: "UploadError", changed: true },
        { text: "(status)", changed: false },
      ],
      after: [
        { text: "throw new ", changed: false },
        { text: "RetryableError", changed: true },
        { text: "(status)", changed: false },
      ],
    });
  });

  it("does not mark lines that have nothing in common", () => {
    expect(diffWords("alpha beta", "something else entirely")).toBeNull();
  });

  it("pairs removed with added lines in order", () => {
    const rows = rowsBetween("let a = 1\nlet b = 2\n", "let a = 3\nlet b = 4\n");
    expect([...wordsByRow(rows).values()].map((pieces) => pieces.find((piece) => piece.changed)?.text)).toEqual([
      "1",
      "3",
      "2",
      "4",
    ]);
  });

  it("finds the line that a line became among new ones", () => {
    const rows = rowsBetween(
      "a\nthrow new UploadError(s)\nz\n",
      "a\nawait retry(x)\nthrow new RetryError(s)\nreturn y\nz\n",
    );
    const changed = [...wordsByRow(rows).values()].map((pieces) => pieces.filter((piece) => piece.changed));
    expect(changed.map((pieces) => pieces.map((piece) => piece.text))).toEqual([["UploadError"], ["RetryError"]]);
  });
});
