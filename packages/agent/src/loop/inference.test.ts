import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPartialJson } from "./inference.ts";

describe("JSON that is still being written", () => {
  it.each([
    ["", undefined],
    ["{", {}],
    ['{"pa', {}],
    ['{"path"', {}],
    ['{"path":', {}],
    ['{"path": "src/a', { path: "src/a" }],
    ['{"path": "src/a.ts", "con', { path: "src/a.ts" }],
    ['{"text": "a\\', { text: "a" }],
    ['{"text": "a\\u00', { text: "a" }],
    ['{"text": "a\\n', { text: "a\n" }],
    ['{"n": 12', {}],
    ['{"n": 12,', { n: 12 }],
    ['{"list": [1, {"a": "b', { list: [1, { a: "b" }] }],
    ["not json", undefined],
  ])("shows what is there of %s", (text, value) => {
    expect(readPartialJson(text)).toEqual(value);
  });

  it("keeps a key that every object has", () => {
    const text = '{"__proto__": {"path": "a"}}';
    expect(Object.keys(Object(readPartialJson(text)))).toEqual(["__proto__"]);
  });

  it("reads what is complete as it is, and never fails on a beginning of it", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, length) => {
        const text = JSON.stringify(value);
        expect(readPartialJson(text)).toEqual(JSON.parse(text));
        readPartialJson(text.slice(0, length % (text.length + 1)));
      }),
    );
  });
});
