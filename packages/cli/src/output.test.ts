import { coloured, plain } from "@signalbox/reports";
import { afterEach, describe, expect, it, vi } from "vitest";
import { layoutOf } from "./output.ts";

describe("how a command prints", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("is coloured and truncated only on a terminal", () => {
    vi.stubEnv("NO_COLOR", undefined);
    vi.stubEnv("TERM", "xterm-256color");
    expect(layoutOf({ isTTY: true, columns: 44 })).toMatchObject({
      isTerminal: true,
      width: 44,
      paint: coloured,
    });
    expect(layoutOf({ isTTY: false })).toMatchObject({
      isTerminal: false,
      width: Number.POSITIVE_INFINITY,
      paint: plain,
    });
    expect(layoutOf({}).isTerminal).toBe(false);
  });

  it("has no colour with NO_COLOR or on a dumb terminal", () => {
    vi.stubEnv("TERM", "xterm");
    vi.stubEnv("NO_COLOR", "1");
    expect(layoutOf({ isTTY: true, columns: 80 }).paint).toBe(plain);
    vi.stubEnv("NO_COLOR", "");
    expect(layoutOf({ isTTY: true, columns: 80 }).paint).toBe(coloured);
    vi.stubEnv("TERM", "dumb");
    expect(layoutOf({ isTTY: true, columns: 80 }).paint).toBe(plain);
  });
});
