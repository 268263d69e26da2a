import { describe, expect, it } from "vitest";
import { limitLines, linesOf, mostCharacters, mostLines } from "./line-limits.ts";

describe("the limit on lines", () => {
  it("gives a text that fits as it is, with its line ends", () => {
    for (const text of ["", "one", "one\n", "one\r\ntwo\r\n", "\n\n"]) {
      expect(limitLines(text)).toMatchObject({ text, isCut: false, longLine: null });
    }
  });

  it("stops after so many lines, at most 2,000", () => {
    const text = "x\n".repeat(mostLines + 1);
    expect(limitLines(text)).toMatchObject({ text: "x\n".repeat(mostLines), count: mostLines, isCut: true });
    expect(limitLines("x\n".repeat(mostLines))).toMatchObject({ count: mostLines, isCut: false });
    expect(limitLines(text, 3)).toMatchObject({ text: "x\nx\nx\n", count: 3, isCut: true });
    expect(limitLines(text, 1_000_000).count).toBe(mostLines);
  });

  it("stops at a line's border before 50,000 characters", () => {
    const line = `${"y".repeat(9999)}\n`;
    expect(limitLines(line.repeat(5))).toMatchObject({ count: 5, isCut: false });
    expect(limitLines(`${line.repeat(5)}z`)).toMatchObject({ text: line.repeat(5), count: 5, isCut: true });
    expect(limitLines(`a${line.repeat(5)}`)).toMatchObject({ count: 4, isCut: true });
  });

  it("gives the beginning of a first line that alone is too long, and says how long it is", () => {
    const shown = limitLines(`${"😀".repeat(mostCharacters)}\nrest`);
    expect(shown).toMatchObject({ count: 1, isCut: true, longLine: mostCharacters * 2 + 1 });
    expect(shown.text.length).toBeLessThanOrEqual(mostCharacters);
    expect(shown.text.isWellFormed()).toBe(true);
  });

  it("cuts lines so that they are the text again", () => {
    for (const text of ["", "a", "a\nb", "a\r\n\n\rb\n"]) expect(linesOf(text).join("")).toBe(text);
  });
});
