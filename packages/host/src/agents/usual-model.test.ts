// Who answers the first prompt of Signalbox's own agent, by config and keys.
import { expect, it } from "vitest";
import { describeUsualModel } from "./usual-model.ts";

const none = { providers: {} };

it.each([
  ["the first provider with a key", none, { OPENAI_API_KEY: "k" }, "OpenAI gpt-6.1-sol"],
  [
    "the first of several in the order of the list",
    none,
    { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" },
    "Anthropic claude-sonnet-5-5",
  ],
  [
    "the provider that config.json names",
    { provider: "openai", providers: {} },
    { ANTHROPIC_API_KEY: "k" },
    "OpenAI gpt-6.1-sol",
  ],
  [
    "the model that config.json names",
    { providers: { openai: { model: "gpt-x", model_fast: "gpt-y" } } },
    {},
    "OpenAI gpt-x",
  ],
  [
    "a server of the user's own",
    { providers: { lab: { base_url: "http://127.0.0.1:1/v1", model: "m" } } },
    {},
    "lab m",
  ],
  ["a provider whose models are known only there", none, { OLLAMA_HOST: "127.0.0.1" }, "Ollama null"],
])("is %s", async (_, config, env, expected) => {
  const model = await describeUsualModel(config, env, "/nonexistent");
  expect(`${model?.provider} ${model?.name}`).toBe(expected);
});

it("is nobody without a key", async () => {
  expect(await describeUsualModel(none, {}, "/nonexistent")).toBeNull();
});

it("has the price of the model where it is known", async () => {
  expect(await describeUsualModel(none, { ANTHROPIC_API_KEY: "k" }, "/nonexistent")).toMatchObject({
    input_usd: expect.any(Number),
    output_usd: expect.any(Number),
  });
  const unknown = await describeUsualModel({ providers: { openai: { model: "gpt-x" } } }, {}, "/nonexistent");
  expect(unknown).toMatchObject({ input_usd: null, output_usd: null });
});
