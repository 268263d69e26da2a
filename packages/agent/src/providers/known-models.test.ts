import { describe, expect, it } from "vitest";
import { noUsage, withUsage } from "../loop/usage.ts";
import { contextWindowOf, maxOutputTokensOf, priceOf, thinks, writesPatches } from "./known-models.ts";
import type { Model } from "./model.ts";

describe("the catalogue", () => {
  it.each([
    ["claude-sonnet-5-5", 1_000_000, 128_000, true],
    ["claude-sonnet-4-5-20250929", 200_000, 64_000, true],
    ["anthropic/claude-sonnet-4.5", 200_000, 64_000, true],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000, 64_000, true],
    ["anthropic.claude-sonnet-4-6", 1_000_000, 128_000, true],
    ["claude-sonnet-4-5@20250929", 200_000, 64_000, true],
    ["claude-next", 200_000, 32_000, true],
    ["gpt-5.4-mini", 400_000, 128_000, true],
    ["gpt-5.9", 272_000, 128_000, true],
    ["gpt-4.1", 1_047_576, 32_768, false],
    ["qwen3:8b", undefined, 16_384, undefined],
  ])("knows %s by the longest beginning of its name", (model, window, output, canThink) => {
    expect([contextWindowOf(model), maxOutputTokensOf(model), thinks(model)]).toEqual([window, output, canThink]);
  });

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

  it("has no price where another company may have another one", () => {
    expect(priceOf("openrouter", "claude-sonnet-5", 1)).toBeNull();
    expect(priceOf("anthropic", "claude-next", 1)).toBeNull();
    expect(priceOf("ollama", "qwen3", 1)).toMatchObject({ input: 0, output: 0 });
  });

  it("has another price for a request with much input", () => {
    expect(priceOf("gemini", "gemini-2.5-pro", 200_000)?.input).toBe(1.25);
    expect(priceOf("gemini", "gemini-2.5-pro", 200_001)?.input).toBe(2.5);
  });
});

it("counts what was written to the cache at its own price", () => {
  const model = { provider: "anthropic", name: "claude-sonnet-4-5" } as Model;
  const usage = { inputTokens: 1_000_000, cachedTokens: 400_000, cacheWriteTokens: 500_000, outputTokens: 100_000 };
  const { cost } = withUsage(noUsage, usage, model);
  expect(cost).toBeCloseTo(0.1 * 3 + 0.4 * 0.3 + 0.5 * 3.75 + 0.1 * 15);
});
