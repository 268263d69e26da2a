import { Catalogue } from "@signalbox/config/models";
import { expect, it } from "vitest";
import type { Model } from "../providers/model.ts";
import { noUsage, subtractUsage, withUsage } from "./usage.ts";

const catalogue = new Catalogue(undefined, {});
const spent = { inputTokens: 1_000_000, cachedTokens: 400_000, cacheWriteTokens: 500_000, outputTokens: 100_000 };
const model = (provider: string, name: string) => ({ provider, name, facts: catalogue.facts(provider, name) }) as Model;

it("counts what was written to the cache at its own price", () => {
  const { cost } = withUsage(noUsage, spent, model("anthropic", "claude-sonnet-4-5"));
  expect(cost).toBeCloseTo(0.1 * 3 + 0.4 * 0.3 + 0.5 * 3.75 + 0.1 * 15);
});

it("does not know the cost where one part of it has no known price", () => {
  const known = withUsage(noUsage, spent, model("anthropic", "claude-sonnet-4-5"));
  expect(withUsage(known, spent, model("anthropic", "claude-next")).cost).toBeNull();
  expect(withUsage(noUsage, { ...spent, cost: 0.5 }, model("openrouter", "openrouter/auto")).cost).toBe(0.5);
});

it("tells a client what a turn used: each kind of tokens apart, and nothing where no model was asked", () => {
  const before = withUsage(noUsage, spent, model("anthropic", "claude-sonnet-4-5"));
  expect(subtractUsage(before, before)).toBeUndefined();
  expect(subtractUsage(before, withUsage(before, spent, model("anthropic", "claude-next")))).toEqual({
    totalTokens: 1_100_000,
    inputTokens: 100_000,
    outputTokens: 100_000,
    cachedReadTokens: 400_000,
    cachedWriteTokens: 500_000,
  });
});
