import { describe, expect, it } from "vitest";
import { parseAnsi } from "./ansi.ts";

const escape = "\u001b";
const textOf = (output: string) =>
  parseAnsi(output)
    .map((line) => line.map((piece) => piece.text).join(""))
    .join("\n");

describe("terminal output", () => {
  it("keeps colours and weights", () => {
    expect(parseAnsi(`${escape}[1;31mred${escape}[0m plain ${escape}[38;5;200mpink${escape}[48;2;1;2;3mon`)).toEqual([
      [
        { text: "red", style: { bold: true, color: 1 } },
        { text: " plain ", style: {} },
        { text: "pink", style: { color: 200 } },
        { text: "on", style: { color: 200, background: "1 2 3" } },
      ],
    ]);
  });

  it("shows bright colours and takes a colour away again", () => {
    expect(parseAnsi(`${escape}[92mok${escape}[39m!`)).toEqual([
      [
        { text: "ok", style: { color: 10 } },
        { text: "!", style: {} },
      ],
    ]);
  });

  it("lets a carriage return overwrite, as a progress bar does", () => {
    expect(textOf("10%\r20%\r100%\ndone")).toBe("100%\ndone");
    expect(textOf("abcdef\rXY")).toBe("XYcdef");
    expect(textOf(`a long line\r${escape}[Kshort`)).toBe("short");
    expect(textOf("ab\bc")).toBe("ac");
    expect(textOf("windows\r\nlines\r\n")).toBe("windows\nlines\n");
  });

  it("drops every trick an escape sequence can play", () => {
    expect(textOf(`${escape}]0;a false title\u0007shown`)).toBe("shown");
    expect(textOf(`${escape}]8;;https://evil.example\u0007click${escape}]8;;\u0007`)).toBe("click");
    expect(textOf(`${escape}]52;c;c3RlYWw=${escape}\\after`)).toBe("after");
    expect(textOf(`before${escape}[2J${escape}[Hafter`)).toBe("beforeafter");
    expect(textOf(`${escape}P1$r0m${escape}\\x\u0000\u0007y${escape}c`)).toBe("xy");
    expect(textOf(`${escape}[31`)).toBe("31");
    expect(textOf(`${escape}]never ended`)).toBe("");
  });

  it("keeps markup as text and ignores impossible colours", () => {
    expect(parseAnsi(`${escape}[38;5;999m<script>`)).toEqual([[{ text: "<script>", style: {} }]]);
  });

  it("reads a megabyte in one line quickly", () => {
    const start = performance.now();
    expect(textOf(`${escape}[32m${"x".repeat(1_000_000)}`)).toHaveLength(1_000_000);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
