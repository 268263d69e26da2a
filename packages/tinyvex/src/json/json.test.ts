import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PATIENT } from "../testing/temporary-register.ts";
import { isTooDeep, LONG_STRING, longStrings, scanValue } from "./json-scan.ts";
import { decodeString, encodeInside, isWellFormedString } from "./json-strings.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom('"', "\\", '\\\\"', "\u2028", "}]{["),
);
/** Now and then long enough to be noticed. */
const anyText = fc.tuple(text, fc.constantFrom(1, 1, 300, 1100)).map(([piece, times]) => piece.repeat(times));

describe("a walk over JSON text", PATIENT, () => {
  test("finds the end of a value and its long strings, whatever stands around and inside", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, anyText)), text, (pairs, after) => {
        const json = JSON.stringify(pairs.map(([key, value]) => ({ [key]: value, other: [value, 1, null] })));
        expect(scanValue(`${json}${after}`, 0)?.end).toBe(json.length);
        const found = longStrings(json).map((token) => {
          let decoded = "";
          decodeString(json, token, (piece) => {
            decoded += piece;
          });
          return decoded;
        });
        const expected = pairs.flatMap(([key, value]) => (key === "other" ? [value] : [value, value]));
        expect(found).toEqual(expected.filter((value) => encodeInside(value).length >= LONG_STRING));
      }),
    );
  });

  test("does not take keys for values, and refuses what does not end or is too deep", () => {
    expect(longStrings(JSON.stringify({ ["k".repeat(2000)]: "v" }))).toEqual([]);
    expect(scanValue('{"a": [1, "x', 0)).toBeNull();
    expect(isTooDeep("[".repeat(600) + "]".repeat(600))).toBe(true);
    expect(isTooDeep(`${"[".repeat(400)}"${"[".repeat(600)}"${"]".repeat(400)}`)).toBe(false);
  });
});

describe("a string literal", PATIENT, () => {
  test("is told apart by whether bytes can hold it", () => {
    const unit = fc.integer({ min: 0xd7fe, max: 0xe001 }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit }), (before, after) => {
        const value = before + after;
        const json = JSON.stringify(value);
        expect(isWellFormedString(json, { start: 1, end: json.length - 1 })).toBe(value.isWellFormed());
      }),
    );
  });

  test("is decoded in pieces that never cut an escape or a character", () => {
    const value = "é\n\t\u0001😀".repeat(40_000);
    const json = JSON.stringify(value).replaceAll("😀", "\\ud83d\\ude00");
    const pieces: string[] = [];
    decodeString(json, { start: 1, end: json.length - 1 }, (piece) => pieces.push(piece));
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join("")).toBe(value);
  });
});
