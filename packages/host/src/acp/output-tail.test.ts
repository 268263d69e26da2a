import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sliceLines } from "./files.ts";
import { OutputTail } from "./output-tail.ts";

describe("the end of an output", () => {
  it("is never longer than the limit, is the end, and never begins inside a character", () => {
    const pieces = fc.array(fc.string({ unit: "grapheme", maxLength: 12 }));
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 40 }), (texts, limit) => {
        const tail = new OutputTail(limit);
        for (const text of texts) tail.append(text);
        const whole = texts.join("");
        const { output, truncated } = tail.read();
        expect(Buffer.byteLength(output)).toBeLessThanOrEqual(limit);
        expect(whole.endsWith(output)).toBe(true);
        expect(truncated).toBe(output !== whole);
      }),
    );
  });
});

describe("lines of a file", () => {
  it.each([
    [1, null, "a\nb\r\nc"],
    [2, null, "b\r\nc"],
    [2, 1, "b\r\n"],
    [3, 10, "c"],
    [9, 1, ""],
    [1, 0, ""],
  ])("from %j, at most %j: %j", (line, limit, expected) => {
    expect(sliceLines(Buffer.from("a\nb\r\nc"), line, limit).toString("utf8")).toBe(expected);
  });
});
