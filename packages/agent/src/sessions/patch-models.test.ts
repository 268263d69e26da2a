import { expect, it } from "vitest";
import { writesPatches } from "./run-prompt.ts";

it("knows which models are trained on patches", () => {
  const names = [
    "gpt-5.5",
    "openai/gpt-4.1-mini",
    "o4-mini",
    "gpt-6.1-sol",
    "gpt-4o",
    "claude-sonnet-5",
    "gpt-oss:20b",
  ];
  expect(names.map(writesPatches)).toEqual([true, true, true, true, false, false, false]);
});
