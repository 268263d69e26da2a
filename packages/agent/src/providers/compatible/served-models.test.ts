import { describe, expect, it } from "vitest";
import { ModelServer } from "../../../../../test/support/model-server/model-server.ts";
import { chooseProvider } from "../choose-provider.ts";
import { openModel } from "../open-model.ts";

async function open(models: readonly object[], model = "", contextWindow?: number) {
  await using server = await ModelServer.start([], { only: "openai-chat", models });
  const { name, contextWindow: window } = await openModel({
    provider: "vllm",
    model,
    apiKey: undefined,
    keyVariable: undefined,
    keyRequired: false,
    baseUrl: `${server.url}/v1/`,
    api: undefined,
    headers: {},
    contextWindow,
    facts: () => ({}),
    stallMs: 1000,
    env: {},
  });
  return [name, window];
}

describe("a server that lists its models", () => {
  it.each([
    ["vLLM", { id: "qwen3", max_model_len: 40_960 }, 40_960],
    ["LM Studio", { id: "qwen3", max_context_length: 131_072, loaded_context_length: 8192 }, 8192],
    ["llama.cpp", { id: "qwen3", meta: { n_ctx: 16_384, n_ctx_train: 131_072 } }, 16_384],
    ["any other", { id: "qwen3" }, undefined],
  ])("as %s is used with the first that talks, and with the window that it names", async (_server, model, window) => {
    expect(await open([{ id: "text-embedding-small" }, model])).toEqual(["qwen3", window]);
    expect(await open([{ id: "other" }, model], "qwen3")).toEqual(["qwen3", window]);
    expect(await open([model], "qwen3", 5000)).toEqual(["qwen3", 5000]);
  });

  it("and has none says what to do; one that is named is used all the same", async () => {
    await expect(open([])).rejects.toThrow("vllm serves no model. Load one into it, or name one with --model.");
    expect(await open([], "mine")).toEqual(["mine", undefined]);
  });
});

it("has a usual address on this machine, and needs no key", () => {
  const config = { provider: undefined, providers: {}, limits: { stallTimeoutMs: 1000 } };
  const urls = ["lmstudio", "vllm", "llamacpp"].map((provider) => {
    const { baseUrl, keyRequired } = chooseProvider({ provider }, config, {})?.settings("") ?? {};
    return [baseUrl, keyRequired];
  });
  expect(urls).toEqual([
    ["http://127.0.0.1:1234/v1", false],
    ["http://127.0.0.1:8000/v1", false],
    ["http://127.0.0.1:8080/v1", false],
  ]);
  expect(chooseProvider({ provider: "demo" }, config, {})?.settings("lmstudio:qwen3")).toMatchObject({
    provider: "lmstudio",
    model: "qwen3",
  });
});
