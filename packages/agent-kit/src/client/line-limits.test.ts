import { describe, expect, it } from "vitest";
import { limitLines, maxReadCharacters, maxReadLines, splitLines } from "./line-limits.ts";

describe("the limit on lines", () => {
  it("gives a text that fits as it is, with its line endings", () => {
    for (const text of ["", "one", "one\n", "one\r\ntwo\r\n", "\n\n"]) {
      expect(limitLines(text)).toMatchObject({ text, isTruncated: false, longLine: undefined });
    }
  });

  it("stops after so many lines, at most 2,000", () => {
    const text = "x\n".repeat(maxReadLines + 1);
    expect(limitLines(text)).toMatchObject({
      text: "x\n".repeat(maxReadLines),
      count: maxReadLines,
      isTruncated: true,
    });
    expect(limitLines("x\n".repeat(maxReadLines))).toMatchObject({ count: maxReadLines, isTruncated: false });
    expect(limitLines(text, 3)).toMatchObject({ text: "x\nx\nx\n", count: 3, isTruncated: true });
    expect(limitLines(text, 1_000_000).count).toBe(maxReadLines);
  });

  it("stops at a line's border before 50,000 characters", () => {
    const line = `${"y".repeat(9999)}\n`;
    expect(limitLines(line.repeat(5))).toMatchObject({ count: 5, isTruncated: false });
    expect(limitLines(`${line.repeat(5)}z`)).toMatchObject({ text: line.repeat(5), count: 5, isTruncated: true });
    expect(limitLines(`a${line.repeat(5)}`)).toMatchObject({ count: 4, isTruncated: true });
  });

  it("gives the beginning of a first line that alone is too long, and says how long it is", () => {
    const shown = limitLines(`${"😀".repeat(maxReadCharacters)}\nrest`);
    expect(shown).toMatchObject({ count: 1, isTruncated: true, longLine: maxReadCharacters * 2 + 1 });
    expect(shown.text.length).toBeLessThanOrEqual(maxReadCharacters);
    expect(shown.text.isWellFormed()).toBe(true);
  });

  it("splits lines so that they are the text again", () => {
    for (const text of ["", "a", "a\nb", "a\r\n\n\rb\n"]) expect(splitLines(text).join("")).toBe(text);
  });
});
