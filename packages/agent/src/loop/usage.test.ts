import { Catalogue } from "@signalbox/config/models";
import { expect, it } from "vitest";
import type { Model } from "../providers/model.ts";
import { noUsage, withUsage } from "./usage.ts";

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
