import { describe, expect, it } from "vitest";
import { duration } from "./duration.ts";

describe("a duration", () => {
  it.each([
    [0, "0 ms"],
    [12.4, "12 ms"],
    [999.7, "1.0 s"],
    [2_400, "2.4 s"],
    [59_960, "1 min 0 s"],
    [61_000, "1 min 1 s"],
    [3_725_000, "1 h 2 min"],
  ])("of %d ms is %s", (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text);
  });
});
