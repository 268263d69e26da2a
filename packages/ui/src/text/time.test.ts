import { describe, expect, it } from "vitest";
import { ago, duration } from "./time.ts";

describe("times", () => {
  it("say how long something took", () => {
    expect([3, 12, 2_400, 61_000, 3_725_000].map(duration)).toEqual([
      "<0.01 s",
      "0.01 s",
      "2.4 s",
      "1 min 1 s",
      "1 h 2 min",
    ]);
  });

  it("say how long ago something was", () => {
    const now = new Date("2026-03-12T12:00:00Z").getTime();
    expect([0, 5 * 60_000, 3 * 3_600_000].map((before) => ago(now - before, now))).toEqual(["now", "5 m", "3 h"]);
    const days = [2, 10, 400].map((before) => ago(now - before * 24 * 3_600_000, now));
    expect(days).toEqual(["Tue", "2 Mar", "5 Feb 2025"]);
  });
});
