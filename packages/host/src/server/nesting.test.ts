// Depth is counted where it is depth.
import { expect, it } from "vitest";
import { isNestedTooDeep } from "./nesting.ts";

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

it("lets through what is nested as messages are, however long", () => {
  expect(isNestedTooDeep(nested(200))).toBe(false);
  expect(isNestedTooDeep(`[${'{"a":[]},'.repeat(10_000)}1]`)).toBe(false);
});

it("finds what is nested deeper, lists and objects alike", () => {
  expect(isNestedTooDeep(nested(201))).toBe(true);
  expect(isNestedTooDeep('{"a":'.repeat(201))).toBe(true);
});

it("does not count brackets that are text, also after an escaped quote", () => {
  expect(isNestedTooDeep(JSON.stringify(nested(1000)))).toBe(false);
  expect(isNestedTooDeep(JSON.stringify(`"${nested(1000)}\\`))).toBe(false);
});
