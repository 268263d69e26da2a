import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { ModelServer } from "../../../../../test/support/model-server/model-server.ts";
import { chooseProvider } from "../choose-provider.ts";
import { openModel } from "../open-model.ts";

async function openAt(url: string, provider: string, model = "", contextWindow?: number) {
  const { name, contextWindow: window } = await openModel({
    provider,
    model,
    apiKey: undefined,
    keyVariable: undefined,
    keyRequired: false,
    baseUrl: `${url}/v1/`,
    api: undefined,
    headers: {},
    contextWindow,
    facts: () => ({}),
    stallMs: 1000,
    env: {},
  });
  return [name, window];
}

async function open(models: readonly object[], model = "", contextWindow?: number) {
  await using server = await ModelServer.start([], { only: "openai-chat", models });
  return await openAt(server.url, "vllm", model, contextWindow);
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

describe("the lists that a server has of its own", () => {
  const plain = { data: [{ id: "small" }, { id: "qwen3" }] };
  const loaded = { id: "qwen3:2", config: { context_length: 12_000 } };
  const embeddings = { type: "embedding", key: "nomic", loaded_instances: [], max_context_length: 2048 };
  const small = { type: "llm", key: "small", loaded_instances: [], max_context_length: 32_768 };

  it.each<readonly [string, string, Readonly<Record<string, object>>, readonly unknown[]]>([
    [
      "LM Studio now",
      "lmstudio",
      {
        "/api/v1/models": {
          models: [embeddings, small, { type: "llm", key: "qwen3", loaded_instances: [loaded], max_context_length: 9 }],
        },
      },
      ["qwen3:2", 12_000],
    ],
    [
      "LM Studio with nothing loaded",
      "lmstudio",
      { "/api/v1/models": { models: [embeddings, small] } },
      ["small", 32_768],
    ],
    [
      "LM Studio before",
      "lmstudio",
      {
        "/api/v1/models": { error: "Unexpected endpoint" },
        "/api/v0/models": {
          data: [
            { id: "nomic", type: "embeddings", state: "loaded", max_context_length: 2048 },
            { id: "small", type: "llm", state: "not-loaded", max_context_length: 32_768 },
            { id: "qwen3", type: "vlm", state: "loaded", max_context_length: 32_768, loaded_context_length: 4096 },
          ],
        },
      },
      ["qwen3", 4096],
    ],
    ["LM Studio without them", "lmstudio", {}, ["small", undefined]],
    [
      "llama.cpp with one model",
      "llamacpp",
      { "/v1/models": { data: [{ id: "qwen3" }] }, "/props": { default_generation_settings: { n_ctx: 8192 } } },
      ["qwen3", 8192],
    ],
    [
      "llama.cpp with several",
      "llamacpp",
      {
        "/v1/models": {
          data: [
            { id: "small", status: { value: "unloaded" } },
            { id: "qwen3", status: { value: "loaded" } },
          ],
        },
      },
      ["qwen3", undefined],
    ],
  ])("tell what is loaded, with which window: %s", async (_name, provider, lists, opened) => {
    const answers: Readonly<Record<string, object>> = { "/v1/models": plain, ...lists };
    const server = createServer((request, response) => {
      const answer = answers[request.url ?? ""];
      response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      expect(await openAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, provider)).toEqual(opened);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

it("has a usual address on this machine, and needs no key", () => {
  const config = { provider: undefined, providers: {}, limits: { stall_timeout_s: 1 } };
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
