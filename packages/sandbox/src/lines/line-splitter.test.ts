import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

function split(chunks: readonly Buffer[], limit = 1000): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter(limit, (line) => lines.push(line.toString()));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

describe("splitting an agent's stdout into lines", () => {
  it("gives the same lines however the bytes are split, also inside a character", () => {
    const line = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((text) => !text.includes("\n") && text.trim() !== "");
    fc.assert(
      fc.property(fc.array(line), fc.integer({ min: 1, max: 7 }), (lines, size) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect(split(chunks, 100_000)).toEqual(lines);
      }),
    );
  });

  it("gives very long lines completely, one after the other", () => {
    const long = (letter: string) => `${letter}${"äbc😀".repeat(400_000)}`;
    const lines = [long("1"), "short", long("2"), long("3")];
    const bytes = Buffer.from(lines.join("\n"));
    const chunks = Array.from({ length: Math.ceil(bytes.length / 65_531) }, (_, index) =>
      bytes.subarray(index * 65_531, (index + 1) * 65_531),
    );
    expect(split(chunks, 2 ** 23)).toEqual(lines);
    expect(split([bytes], 2 ** 23)).toEqual(lines);
    expect(() => split(chunks, 3_000_000)).toThrow(/more than 3000000 bytes/);
  });

  it("gives a last line without a line end, and no empty lines", () => {
    expect(split([Buffer.from("one\n\n\ntwo")])).toEqual(["one", "two"]);
  });

  it("refuses a line over the limit before it is complete", () => {
    const endless = Buffer.alloc(600, "x");
    expect(() => split([endless, endless])).toThrow(/more than 1000 bytes/);
  });

  it("refuses a line over the limit once, and keeps nothing of it", () => {
    const lines: string[] = [];
    const splitter = new LineSplitter(1000, (line) => lines.push(line.toString()));
    const endless = Buffer.alloc(600, "x");
    splitter.push(endless);
    expect(() => splitter.push(endless)).toThrow(/more than 1000 bytes/);
    splitter.push(endless);
    splitter.end();
    expect(lines).toEqual([]);
  });

  it("drops a line that is too long, reports its beginning once, and goes on", () => {
    const seen: string[] = [];
    const splitter = new LineSplitter(
      3_000_000,
      (line) => seen.push(line.toString()),
      (start) => seen.push(`too long: ${start.length} ${start.subarray(0, 3).toString()}`),
    );
    for (let pieces = 0; pieces < 4; pieces++) splitter.push(Buffer.alloc(1_000_000, "abc"));
    splitter.push(Buffer.from("\nnext\n"));
    expect(seen).toEqual(["too long: 256 abc", "next"]);
  });
});
