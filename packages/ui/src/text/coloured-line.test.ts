import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { colouredPieces } from "./coloured-line.ts";
import { detectLanguage } from "./detect-language.ts";

describe("a line of a change", () => {
  it("is coloured as code and marked where words changed", () => {
    const words = [
      { text: "const ", changed: false },
      { text: "tries", changed: true },
      { text: " = 5;", changed: false },
    ];
    const tokens = [
      { content: "const", color: "k" },
      { content: " tries = " },
      { content: "5", color: "n" },
      { content: ";" },
    ];
    expect(colouredPieces("const tries = 5;", words, tokens)).toEqual([
      { text: "const", changed: false, color: "k" },
      { text: " ", changed: false },
      { text: "tries", changed: true },
      { text: " = ", changed: false },
      { text: "5", changed: false, color: "n" },
      { text: ";", changed: false },
    ]);
  });

  it("stays as it is when the colours are those of another text", () => {
    expect(colouredPieces("a b", undefined, [{ content: "a" }])).toEqual([{ text: "a b", changed: false }]);
  });

  it("loses and doubles nothing, however words and tokens are split", () => {
    const splits = fc.array(fc.nat(30), { maxLength: 8 });
    const split = (text: string, at: readonly number[]) => {
      const places = [0, ...new Set(at.map((place) => Math.min(place, text.length)))].toSorted((a, b) => a - b);
      return places.map((from, index) => text.slice(from, places[index + 1])).filter((piece) => piece !== "");
    };
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), splits, splits, (text, wordSplits, tokenSplits) => {
        const words = split(text, wordSplits).map((piece, index) => ({ text: piece, changed: index % 2 === 1 }));
        const tokens = split(text, tokenSplits).map((content) => ({ content, color: "c" }));
        const pieces = colouredPieces(text, words, tokens);
        const changed = (all: readonly { text: string; changed: boolean }[]) =>
          all.filter((piece) => piece.changed).map((piece) => piece.text);
        return (
          pieces.map((piece) => piece.text).join("") === text && changed(pieces).join("|") === changed(words).join("|")
        );
      }),
    );
  });
});

describe("the language of a file", () => {
  it("is told by its name", () => {
    expect(["/a/b.ts", "Makefile", "src\\x.PY", "README", "x.constructor"].map(detectLanguage)).toEqual([
      "typescript",
      "make",
      "python",
      null,
      null,
    ]);
  });
});
