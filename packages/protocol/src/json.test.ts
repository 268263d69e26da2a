import { describe, expect, it } from "vitest";
import { isNestedTooDeep, maxJsonDepth } from "./json.ts";

const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
const nestedObjects = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);

describe("nesting", () => {
  it("accepts arrays and objects up to the limit, of any width", () => {
    expect(isNestedTooDeep(nested(maxJsonDepth))).toBe(false);
    expect(isNestedTooDeep(nestedObjects(maxJsonDepth))).toBe(false);
    expect(isNestedTooDeep(Array.from({ length: 10_000 }, () => ({ a: [] })))).toBe(false);
  });

  it("refuses deeper values, also very deep ones", () => {
    for (const depth of [maxJsonDepth + 1, 200_000]) {
      expect(isNestedTooDeep(nested(depth))).toBe(true);
      expect(isNestedTooDeep(nestedObjects(depth))).toBe(true);
    }
  });

  it("does not count brackets in texts", () => {
    expect(isNestedTooDeep("[".repeat(1000))).toBe(false);
  });
});
