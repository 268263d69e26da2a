import { Catalogue, type ModelFacts } from "@signalbox/config/models";
import { describe, expect, it } from "vitest";
import { chooseThinking, configOptions } from "./session-options.ts";

const catalogue = new Catalogue(undefined, {});
const provider = (name: string) =>
  name.startsWith("gpt") ? "openai" : name.startsWith("claude") ? "anthropic" : "ollama";

function optionsFor(model: string, thinking: Parameters<typeof chooseThinking>[1] = null) {
  const names = {
    fast: model,
    complex: model,
    known: [model],
    facts: (name: string) => catalogue.facts(provider(name), name),
  };
  const [, models, levels] = configOptions({ mode: "sandbox", model: null, thinking }, names);
  return { models, levels } as unknown as Record<
    "models" | "levels",
    { currentValue: string; options: { value: string; description?: string }[] }
  >;
}

describe("thinking", () => {
  it.each([
    ["claude-sonnet-5-5", null, "medium", "off low medium high xhigh max"],
    ["claude-sonnet-5-5", "max", "max", "off low medium high xhigh max"],
    ["claude-sonnet-4-5", "max", "high", "off low medium high"],
    ["claude-sonnet-5-5", "off", "off", "off low medium high xhigh max"],
    ["gpt-4.1", "high", "off", "off"],
    ["gpt-5-pro", null, "high", "off high"],
    ["qwen3", null, "off", "off low medium high"],
  ] as const)("of %s, with %s chosen, is %s of: %s", (model, chosen, current, offered) => {
    const { levels } = optionsFor(model, chosen);
    expect([levels.currentValue, levels.options.map(({ value }) => value).join(" ")]).toEqual([current, offered]);
    const facts: ModelFacts = catalogue.facts(provider(model), model);
    expect(chooseThinking(facts, chosen)).toBe(current);
  });
});

it("says of each model what is known of it, and what is not", () => {
  const about = (model: string) => optionsFor(model).models.options[0]?.description;
  expect(about("claude-sonnet-5-5")).toBe("1M tokens, $2 in and $10 out per million, thinks");
  expect(about("gpt-5.5")).toBe("922k tokens, $5 in and $30 out per million, more for long requests, thinks");
  expect(about("claude-next")).toBe("200k tokens, price not known, thinks");
  expect(about("qwen3")).toBe("window not known, free");
});
