import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseYaml } from "./yaml.ts";

const parse = (text: string) => JSON.parse(JSON.stringify(parseYaml(text.split("\n"))));

describe("our part of YAML", () => {
  it.each([
    ["a: 1\nb: text with: colon", { a: 1, b: "text with: colon" }],
    ['a: "x: \\"y\\" # z" # comment', { a: 'x: "y" # z' }],
    ["a: 'it''s'", { a: "it's" }],
    ["a: true\nb: false\nc: null\nd: ~\ne:", { a: true, b: false, c: null, d: null, e: null }],
    ["a: 1.5\nb: -3\nc: 007\nd: 1.2.3", { a: 1.5, b: -3, c: "007", d: "1.2.3" }],
    ["a: [1, 'b, c', [x]]", { a: [1, "b, c", ["x"]] }],
    ["a: {b: 1, 'c d': [], e: {}}", { a: { b: 1, "c d": [], e: {} } }],
    ["a:\n  b:\n    c: d\n  e: f", { a: { b: { c: "d" }, e: "f" } }],
    ["a:\n  - x\n  - 'y'\n  - [z]", { a: ["x", "y", ["z"]] }],
    ["a:\n- x\n- y\nb: c", { a: ["x", "y"], b: "c" }],
    ["a: |\n  one\n    two\n\n  three\nb: 1", { a: "one\n  two\n\nthree\n", b: 1 }],
    ["a: >-\n  one\n  two\n\n  three", { a: "one two\n\nthree" }],
    ["a: one\n  goes on\nb: 1", { a: "one goes on", b: 1 }],
    ["# comment\n\na: x # comment\n  # another\nb: y#no", { a: "x", b: "y#no" }],
    ['"a b": c', { "a b": "c" }],
    ["url: https://example.org/#x", { url: "https://example.org/#x" }],
    ["", null],
  ])("reads %j", (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it.each([
    ["a: 1\na: 2", "line 2 names a a second time"],
    ["a: [1, 2", "line 1 has a [ without its ]"],
    ['a: "x', 'line 1 has a " without its end'],
    ["a: &anchor x", "line 1 begins a value with &"],
    ["just text", "line 1 is no `name: value`"],
    ["a:\n\tb: c", "line 2 is indented with a tab"],
    ["a:\n    b: 1\n  c: 2", "line 3 is indented in a way"],
    ["a:\n  - b: c", "line 2 holds a map in a list item"],
    ["a: 'x' y", 'line 1 has "y" after its value'],
    [`a: ${"[".repeat(100)}`, "nested too deeply"],
  ])("refuses %j and says why", (text, words) => {
    expect(() => parse(text)).toThrow(words);
  });

  it("does not touch prototypes", () => {
    parse("__proto__: {polluted: 1}\nconstructor: x");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("reads back what JSON writes", () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.stringMatching(/^[a-z][a-z ]{0,5}$/), tie("value"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (wanted) => {
        expect(parse(`v: ${JSON.stringify(wanted)}`)).toEqual({ v: wanted });
      }),
    );
  });

  it("answers or refuses, whatever it is given, in little time", () => {
    const piece = fc.constantFrom(
      "a",
      ":",
      " ",
      "- ",
      "\n",
      "  ",
      "[",
      "]",
      "{",
      "}",
      '"',
      "'",
      "|",
      ">",
      "#",
      ",",
      "\t",
      "b: ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        try {
          parse(pieces.join(""));
        } catch (error) {
          expect((error as Error).message).toMatch(/^line \d+ /);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
