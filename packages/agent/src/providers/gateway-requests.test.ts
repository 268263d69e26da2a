// What goes out to servers at another address than the vendor's own: nothing that they must refuse, and no request twice.
import dns from "node:dns";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ModelServer, type Script } from "../../../../test/support/model-server/model-server.ts";
import type { WireName } from "../../../../test/support/model-server/seen-request.ts";
import type { Model, ModelMessage } from "./model.ts";
import { openModel } from "./open-model.ts";
import type { ProviderSettings } from "./provider-settings.ts";

const said: ModelMessage = { role: "user", content: [{ type: "text", text: "Hi" }] };
const tool = { name: "read", description: "Reads a file.", inputSchema: { type: "object", properties: {} } };

function open(server: ModelServer, settings: Pick<ProviderSettings, "provider" | "model"> & Partial<ProviderSettings>) {
  return openModel(
    {
      apiKey: "key",
      keyVariable: "KEY",
      keyRequired: true,
      baseUrl: `${server.url}/v1`,
      api: undefined,
      headers: {},
      contextWindow: undefined,
      facts: () => ({}),
      stallMs: 5000,
      env: {},
      ...settings,
    },
    1,
  );
}

/** The text of the answer. It leaves at the last event, as the turn loop does. */
async function ask(model: Model, messages: readonly ModelMessage[] = [said]): Promise<string> {
  let text = "";
  const request = {
    system: "",
    messages,
    tools: [tool],
    maxOutputTokens: 100,
    thinking: "off",
    cacheKey: "session-1",
  } as const;
  for await (const event of model.stream(request, new AbortController().signal)) {
    if (event.type === "text") text += event.text;
    if (event.type === "finish") break;
  }
  return text;
}

const answers = (only?: WireName, script: Script = () => ({ text: "ok" })) =>
  ModelServer.start(script, only === undefined ? {} : { only });

describe("the name of the session for the provider's cache", () => {
  afterEach(() => vi.restoreAllMocks());

  it("goes to OpenAI itself, and to no other server", async () => {
    await using server = await answers();
    // Every name is this machine.
    const here = [{ address: "127.0.0.1", family: 4 }];
    vi.spyOn(dns, "lookup").mockImplementation(((
      _name: string,
      _options: object,
      done: (...found: unknown[]) => void,
    ) => done(null, here)) as typeof dns.lookup);
    const { port } = new URL(server.url);
    for (const host of ["api.openai.com", "gateway.example"]) {
      const baseUrl = `http://${host}:${port}/v1`;
      expect(await ask(await open(server, { provider: "openai", model: "gpt-5.5", api: "responses", baseUrl }))).toBe(
        "ok",
      );
    }
    const [own, other] = server.requests.map(({ body }) => body);
    expect(own).toMatchObject({ prompt_cache_key: "session-1" });
    expect(other).not.toHaveProperty("prompt_cache_key");
  });
});

describe("OpenAI's models at another address", () => {
  it("finds out once that a server knows only responses", async () => {
    await using server = await answers("openai-responses");
    const model = await open(server, { provider: "openai", model: "gpt-5.5" });
    for (let prompt = 0; prompt < 3; prompt++) expect(await ask(model)).toBe("ok");
    expect(server.requests.map(({ wire }) => wire)).toEqual(Array(3).fill("openai-responses"));
    expect(server.unknownPaths).toEqual(["/v1/chat/completions"]);
  });

  it.each(["gpt-5.5", "openai/o3-mini"])("sends %s max_completion_tokens", async (model) => {
    await using server = await answers("openai-chat");
    await ask(await open(server, { provider: "openai", model }));
    expect(server.requests[0]?.body).toMatchObject({ max_completion_tokens: 100 });
    expect(server.requests[0]?.body).not.toHaveProperty("max_tokens");
  });

  it("sends max_tokens to other models", async () => {
    await using server = await answers("openai-chat");
    await ask(await open(server, { provider: "openai", model: "llama" }));
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 100 });
  });

  it("goes on with responses where a model is refused in chat completions", async () => {
    const refusal = { status: 400, message: "Unsupported parameter: 'max_tokens' is not supported with this model." };
    await using server = await answers(undefined, ({ wire }) => (wire === "openai-chat" ? refusal : { text: "ok" }));
    const model = await open(server, { provider: "openai", model: "deployment-7" });
    expect(await ask(model)).toBe("ok");
    expect(await ask(model)).toBe("ok");
    expect(server.requests.map(({ wire }) => wire)).toEqual(["openai-chat", "openai-responses", "openai-responses"]);
  });

  it.each([
    ["chat", "openai-chat"],
    ["responses", "openai-responses"],
  ] as const)("uses the API that the config names: %s", async (api, wire) => {
    await using server = await answers();
    await ask(await open(server, { provider: "openai", model: "gpt-5.5", api }));
    expect(server.requests.map((request) => request.wire)).toEqual([wire]);
  });

  it("gets the text of a failed command as it is", async () => {
    await using server = await answers();
    const model = await open(server, { provider: "openai", model: "gpt-5.5", api: "responses" });
    const text = 'Exit code 1\nline "one"\n';
    await ask(model, [
      said,
      { role: "assistant", content: [{ type: "tool_call", id: "c1", name: "read", input: {} }] },
      { role: "tool", results: [{ id: "c1", name: "read", content: [{ type: "text", text }], isError: true }] },
    ]);
    const results = server.requests[0]?.messages.flatMap(({ toolResults = [] }) => toolResults);
    expect(results).toMatchObject([{ text }]);
  });
});

it("sends a gateway for Claude no field that is newer than it, and asks for no beta but those of the config", async () => {
  await using server = await answers("anthropic");
  for (const headers of [{}, { "Anthropic-Beta": "context-1m-2025-08-07" }] as Record<string, string>[])
    await ask(await open(server, { provider: "anthropic", model: "claude-sonnet-5", headers }));
  expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain("eager_input_streaming");
  expect(server.requests.map(({ headers }) => headers["anthropic-beta"])).toEqual([undefined, "context-1m-2025-08-07"]);
});

it.each(["gemini-2.5-pro", "gemini-pro-latest"])(
  "gives %s a result for every call, also for an image",
  async (name) => {
    await using server = await answers("gemini");
    const model = await open(server, { provider: "gemini", model: name, baseUrl: `${server.url}/v1beta` });
    const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;
    const text = { type: "text", text: "words" } as const;
    const calls = ["c1", "c2", "c3"];
    await ask(model, [
      said,
      {
        role: "assistant",
        content: calls.map((id) => ({ type: "tool_call", id, name: "read", input: {} }) as const),
      },
      {
        role: "tool",
        results: calls.map((id) => ({ id, name: "read", content: [id === "c2" ? image : text], isError: false })),
      },
    ]);
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body.split('"functionResponse"')).toHaveLength(calls.length + 1);
    expect(body).toContain(image.data);
  },
);

it("gives a model that sees no images words in their place", async () => {
  await using server = await answers("openai-chat");
  const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;
  const messages: readonly ModelMessage[] = [
    { role: "user", content: [image] },
    { role: "assistant", content: [{ type: "tool_call", id: "c1", name: "read", input: {} }] },
    { role: "tool", results: [{ id: "c1", name: "read", content: [image], isError: false }] },
  ];
  await ask(await open(server, { provider: "groq", model: "m", facts: () => ({ seesImages: false }) }), messages);
  await ask(await open(server, { provider: "groq", model: "m" }), messages);
  const [blind, seeing] = server.requests.map(({ body }) => JSON.stringify(body));
  expect(blind?.split("[An image was left out: m does not see images.]")).toHaveLength(3);
  expect(blind).not.toContain(image.data);
  expect(seeing).toContain(image.data);
});
