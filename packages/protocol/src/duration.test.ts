import { describe, expect, it } from "vitest";
import { duration, toolCallMs } from "./duration.ts";

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

describe("the time of a tool call", () => {
  const asked = { created_at: 1000, waited_ms: 26_000 };
  it("leaves out the time in which a person was asked, before it started or while it ran", () => {
    expect(toolCallMs({ ...asked, started_at: 27_000, ended_at: 27_100 })).toBe(100);
    expect(toolCallMs({ ...asked, started_at: 1000, ended_at: 27_100 })).toBe(100);
    expect(toolCallMs({ ...asked, started_at: null, ended_at: 27_100 })).toBe(100);
  });
  it("is unknown while it is open, and never negative", () => {
    expect(toolCallMs({ ...asked, started_at: null, ended_at: null })).toBeNull();
    expect(toolCallMs({ ...asked, started_at: null, ended_at: 900 })).toBe(0);
    // It was announced as ended: its time is not zero, it is not known.
    expect(toolCallMs({ created_at: 1000, started_at: null, ended_at: 1000, waited_ms: 0 })).toBeNull();
  });
});
