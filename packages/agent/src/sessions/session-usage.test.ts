import { Catalogue } from "@signalbox/config/models";
import { expect, it } from "vitest";
import type { Model } from "../providers/model.ts";
import { SessionUsage } from "./session-usage.ts";

const catalogue = new Catalogue(undefined, {});
const model = (name: string) => ({ name, facts: catalogue.facts("anthropic", name) }) as Model;
const spent = { inputTokens: 1_000_000, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

it("says what each request cost, not what one cost whose price is not known, and from then on that the sum is not whole", () => {
  const usage = new SessionUsage(null, []);
  const reported = (name: string) => {
    usage.add(spent, model(name));
    const { cost, _meta } = usage.update(model(name), 1) as { cost?: { amount: number }; _meta: object };
    return [cost?.amount, "signalbox/price_unknown" in _meta];
  };
  expect(reported("claude-sonnet-4-5")).toEqual([3, false]);
  expect(reported("claude-of-tomorrow")).toEqual([undefined, true]);
  expect(reported("claude-sonnet-4-5")).toEqual([6, true]);
  expect(usage.cost).toBeNull();
});
