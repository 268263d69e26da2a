import { describe, expect, it } from "vitest";
import { ago } from "./time.ts";

describe("times", () => {
  it("say how long ago something was", () => {
    const now = new Date("2026-03-12T12:00:00Z").getTime();
    expect([0, 5 * 60_000, 3 * 3_600_000].map((before) => ago(now - before, now))).toEqual(["now", "5 m", "3 h"]);
    const days = [2, 10, 400].map((before) => ago(now - before * 24 * 3_600_000, now));
    expect(days).toEqual(["Tue", "2 Mar", "5 Feb 2025"]);
  });
});
