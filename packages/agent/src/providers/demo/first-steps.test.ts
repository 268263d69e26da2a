import { expect, it } from "vitest";
import type { ToolResultPart } from "../model.ts";
import { isFirstSteps, takeFirstSteps } from "./first-steps.ts";

const done = (count: number, isError = false) =>
  Array.from({ length: count }, () => ({ name: "x", content: [], isError }) as unknown as ToolResultPart);

it("begins for the sentence of the page, and for nothing else", () => {
  expect(["Write a note and improve it", "write a note and improve it."].map(isFirstSteps)).toEqual([true, true]);
  expect(isFirstSteps("Write a note and improve it, then delete it")).toBe(false);
});

it("writes, improves and checks, with the plan before each, and ends with what to try next", () => {
  const tools = Array.from({ length: 8 }, (_, count) => takeFirstSteps(done(count)).call?.tool);
  expect(tools).toEqual(["todo_write", "write", "todo_write", "edit", "todo_write", "bash", "todo_write", undefined]);
  expect(takeFirstSteps(done(7)).text).toMatch(/What next[^]*Changes[^]*Search[^]*real agent/);
});

it("ends at a denial and says what that did", () => {
  expect(takeFirstSteps(done(2, true))).toEqual({ text: expect.stringContaining("You denied that step") });
});
