// The form of what every provider is sent, kept whole: a change of it is seen in review before a server refuses it.
import { describe, expect, it } from "vitest";
import { ModelServer } from "../../../../test/support/model-server/model-server.ts";
import type { WireName } from "../../../../test/support/model-server/seen-request.ts";
import type { ModelMessage, ModelRequest } from "./model.ts";
import { openModel } from "./open-model.ts";
import type { ProviderSettings } from "./provider-settings.ts";

const picture = {
  type: "image",
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
} as const;
const text = (words: string) => ({ type: "text", text: words }) as const;

/** Everything that a turn can have: a picture, parallel calls, a result with a picture, a failed one, words between. */
const messages: readonly ModelMessage[] = [
  { role: "user", content: [text("What is this?"), picture] },
  {
    role: "assistant",
    content: [
      text("Looking."),
      { type: "tool_call", id: "call_1", name: "read", input: { path: "p.png" } },
      { type: "tool_call", id: "call_2", name: "bash", input: { command: "npm test" } },
    ],
  },
  {
    role: "tool",
    results: [
      { id: "call_1", name: "read", content: [text("A picture:"), picture], isError: false },
      { id: "call_2", name: "bash", content: [text('Exit code 1\nline "one"')], isError: true },
    ],
  },
  { role: "user", content: [text("Go on.")] },
];

const request: ModelRequest = {
  system: "Be brief.",
  messages,
  tools: [
    {
      name: "read",
      description: "Reads a file.",
      inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    },
    {
      name: "bash",
      description: "Runs a command.",
      inputSchema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    },
  ],
  maxOutputTokens: 32_000,
  thinking: "medium",
  cacheKey: "session-1",
};

interface Destination {
  readonly provider: string;
  readonly model: string;
  readonly base: string;
  readonly only: WireName;
}

async function send(
  { provider, model, base, only }: Destination,
  wanted: ModelRequest,
  settings: (url: string) => Partial<ProviderSettings> = () => ({}),
) {
  await using server = await ModelServer.start([{ text: "Done." }], { only });
  const opened = await openModel({
    provider,
    model,
    apiKey: "key",
    keyVariable: "KEY",
    keyRequired: true,
    baseUrl: `${server.url}${base}`,
    api: undefined,
    headers: {},
    contextWindow: undefined,
    facts: () => ({}),
    stallMs: 5000,
    env: { HOME: "/nowhere" },
    ...settings(server.url),
  });
  for await (const event of opened.stream(wanted, new AbortController().signal)) if (event.type === "finish") break;
  return server.requests[0];
}

describe("what is sent", () => {
  it.each<readonly [provider: string, model: string, base: string, wire: WireName]>([
    ["openai", "gpt-5.5", "/v1", "openai-responses"],
    ["openai", "gpt-5.5", "/v1", "openai-chat"],
    ["anthropic", "claude-sonnet-5-5", "/v1", "anthropic"],
    ["anthropic", "claude-sonnet-4-5", "/v1", "anthropic"],
    ["gemini", "gemini-2.5-pro", "/v1beta", "gemini"],
    ["gemini", "gemini-4-argon", "/v1beta", "gemini"],
    ["openrouter", "anthropic/claude-sonnet-5", "/api/v1", "openai-chat"],
    ["ollama", "qwen3", "", "ollama"],
    ["azure", "my-deployment", "/openai/v1", "openai-responses"],
    ["azure", "", "/openai/deployments/my-deployment?api-version=2024-10-21", "openai-chat"],
    ["bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "", "bedrock"],
    ["bedrock", "qwen.qwen3-coder-480b-a35b-v1:0", "", "bedrock"],
    ["vertex", "gemini-2.5-pro", "/v1/projects/p/locations/global", "gemini"],
    ["vertex", "claude-sonnet-4-5@20250929", "/v1/projects/p/locations/us-east5", "anthropic"],
    ["my-server", "local", "/v1", "openai-chat"],
  ])("to %s for %s (%s, %s)", async (provider, model, base, only) => {
    const seen = await send({ provider, model, base, only }, request);
    expect({ path: seen?.path, body: seen?.body }).toMatchSnapshot();
  });

  it.each([
    ["gemini", "gemini-2.5-pro", "/v1beta", "gemini"],
    ["anthropic", "claude-sonnet-4-5", "/v1", "anthropic"],
    ["bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "", "bedrock"],
  ] as const)("leaves room for the answer beside many thoughts: %s", async (provider, model, base, only) => {
    const seen = await send({ provider, model, base, only }, { ...request, thinking: "high", maxOutputTokens: 16_384 });
    const body = JSON.stringify(seen?.body);
    const [, thoughts = ""] = /"(?:thinkingBudget|budget_tokens)":(\d+)/.exec(body) ?? [];
    const [, all = ""] = /"(?:maxOutputTokens|max_tokens|maxTokens)":(\d+)/.exec(body) ?? [];
    expect(Number(thoughts)).toBeGreaterThan(1000);
    expect(Number(all) - Number(thoughts)).toBeGreaterThan(5000);
  });
});

describe("the pages of a PDF", () => {
  const pdf = { type: "pdf", data: "JVBERi0xLjQ=", name: "scan.pdf", pages: { first: 1, last: 2 } } as const;
  const called = { type: "tool_call", id: "call_1", name: "read", input: { path: "scan.pdf" } } as const;
  const wanted: ModelRequest = {
    ...request,
    messages: [
      { role: "user", content: [text("What does it say?"), pdf] },
      { role: "assistant", content: [called] },
      {
        role: "tool",
        results: [{ id: "call_1", name: "read", content: [text("Pages 1 to 2:"), pdf], isError: false }],
      },
    ],
  };
  const facts = () => ({ seesImages: true, readsPdfs: true });

  it.each<readonly [provider: string, model: string, base: string, wire: WireName, own: string | undefined]>([
    ["openai", "gpt-5.5", "/v1", "openai-responses", "https://api.openai.com/v1"],
    ["openai", "gpt-4o", "/v1", "openai-chat", "https://api.openai.com/v1"],
    ["anthropic", "claude-sonnet-5-5", "/v1", "anthropic", "https://api.anthropic.com/v1"],
    ["gemini", "gemini-2.5-pro", "/v1beta", "gemini", "https://generativelanguage.googleapis.com/v1beta"],
    ["gemini", "gemini-3.8-flash", "/v1beta", "gemini", "https://generativelanguage.googleapis.com/v1beta"],
    ["openrouter", "anthropic/claude-sonnet-5", "/api/v1", "openai-chat", undefined],
    ["azure", "my-deployment", "/openai/v1", "openai-responses", undefined],
    ["bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "", "bedrock", undefined],
    ["vertex", "claude-sonnet-4-5@20250929", "/v1/projects/p/locations/us-east5", "anthropic", undefined],
  ])("are sent to %s for %s (%s, %s)", async (provider, model, base, only, own) => {
    // The vendor's own address, which only this fetch leads to our server.
    const elsewhere = (url: string): Partial<ProviderSettings> => ({
      baseUrl: own,
      fetch: (input, init) => fetch(new Request(input).url.replace(new URL(own ?? "").origin, url), init),
    });
    const api = only === "openai-chat" ? ({ api: "chat" } as const) : {};
    const seen = await send({ provider, model, base, only }, wanted, (url) => ({
      facts,
      ...api,
      ...(own !== undefined && elsewhere(url)),
    }));
    const { input, messages: sent, contents } = seen?.body ?? {};
    expect(input ?? sent ?? contents).toMatchSnapshot();
  });

  it.each<readonly [provider: string, model: string, base: string, wire: WireName]>([
    ["openai", "gpt-5.5", "/v1", "openai-chat"],
    ["anthropic", "claude-sonnet-5-5", "/v1", "anthropic"],
    ["gemini", "gemini-2.5-pro", "/v1beta", "gemini"],
    ["ollama", "qwen3", "", "ollama"],
    ["my-server", "local", "/v1", "openai-chat"],
  ])("are words for a server that may not take them: %s for %s", async (provider, model, base, only) => {
    const body = JSON.stringify((await send({ provider, model, base, only }, wanted, () => ({ facts })))?.body);
    expect(body).not.toContain(pdf.data);
    expect(body.split(`${model} sees no PDFs. If you can run commands, `)).toHaveLength(3);
  });
});
