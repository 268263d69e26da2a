import { coloured, plain } from "@signalbox/reports";
import { afterEach, describe, expect, it, vi } from "vitest";
import { chooseLayout } from "./output.ts";

describe("how a command prints", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("is coloured and truncated only on a terminal", () => {
    vi.stubEnv("NO_COLOR", undefined);
    vi.stubEnv("TERM", "xterm-256color");
    expect(chooseLayout({ isTTY: true, columns: 44 })).toMatchObject({
      isTerminal: true,
      width: 44,
      paint: coloured,
    });
    expect(chooseLayout({ isTTY: false })).toMatchObject({
      isTerminal: false,
      width: Number.POSITIVE_INFINITY,
      paint: plain,
    });
    expect(chooseLayout({}).isTerminal).toBe(false);
  });

  it("has no colour with NO_COLOR or on a dumb terminal", () => {
    vi.stubEnv("TERM", "xterm");
    vi.stubEnv("NO_COLOR", "1");
    expect(chooseLayout({ isTTY: true, columns: 80 }).paint).toBe(plain);
    vi.stubEnv("NO_COLOR", "");
    expect(chooseLayout({ isTTY: true, columns: 80 }).paint).toBe(coloured);
    vi.stubEnv("TERM", "dumb");
    expect(chooseLayout({ isTTY: true, columns: 80 }).paint).toBe(plain);
  });
});
