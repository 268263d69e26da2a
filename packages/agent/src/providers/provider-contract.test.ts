// Runs the same conversation with every provider, over real HTTP: what a model sends arrives, what it needs back goes back, and failures are survived.
import { describe, expect, it } from "vitest";
import { ModelServer } from "../../../../test/support/model-server/model-server.ts";
import type { Answer, Reply } from "../../../../test/support/model-server/script.ts";
import type { SeenMessage, WireName } from "../../../../test/support/model-server/seen-request.ts";
import type { Model, ModelEvent, ModelMessage, ModelRequest } from "./model.ts";
import { openModel } from "./open-model.ts";
import { ProviderError } from "./provider-error.ts";

interface Case {
  readonly title: string;
  readonly provider: string;
  readonly wire: WireName;
  readonly base: string;
  readonly model: string;
  /** Whether thoughts carry a signature that must come back. */
  readonly signed: boolean;
  readonly ids: boolean;
}

type Row = readonly [string, string, WireName, base: string, model: string, signed: boolean, ids: boolean];

const rows: readonly Row[] = [
  ["openai", "openai", "openai-responses", "/v1", "gpt-5.1", true, true],
  ["openai elsewhere", "openai", "openai-chat", "/v1", "local", false, true],
  ["anthropic", "anthropic", "anthropic", "/v1", "claude-sonnet-4-5", true, true],
  ["gemini", "gemini", "gemini", "/v1beta", "gemini-2.5-pro", true, false],
  ["openrouter", "openrouter", "openai-chat", "/api/v1", "some/model", true, true],
  ["ollama", "ollama", "ollama", "", "qwen3", false, false],
  ["compatible", "my-server", "openai-chat", "/v1", "local", false, true],
  ["azure", "azure", "openai-responses", "/openai/v1", "my-deployment", true, true],
  ["bedrock", "bedrock", "bedrock", "", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", true, true],
  ["vertex, Gemini", "vertex", "gemini", "/v1/projects/p/locations/global", "gemini-2.5-pro", true, false],
  [
    "vertex, Claude",
    "vertex",
    "anthropic",
    "/v1/projects/p/locations/global",
    "claude-sonnet-4-5@20250929",
    true,
    true,
  ],
];

const cases = rows.map(
  ([title, provider, wire, base, model, signed, ids]): Case => ({ title, provider, wire, base, model, signed, ids }),
);

/** Frames after which the answer is whole but for what it cost. */
const framesAfterEnd: Partial<Record<WireName, number>> = { "openai-chat": 2, bedrock: 1 };

const request = (messages: readonly ModelMessage[], rest: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "Be brief.",
  messages,
  tools: [
    {
      name: "read",
      description: "Reads a file.",
      inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    },
  ],
  maxOutputTokens: 1234,
  thinking: "off",
  ...rest,
});

const said = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });

/** OpenAI's own wire is met only under its own name, so its server is told to be that. */
async function open(theCase: Case, server: ModelServer, stallMs = 5000): Promise<Model> {
  return await openModel(
    {
      provider: theCase.provider,
      model: theCase.model,
      apiKey: "secret-key",
      keyVariable: "THE_KEY",
      keyRequired: true,
      baseUrl: `${server.url}${theCase.base}`,
      api: undefined,
      headers: { "x-team": "signals" },
      contextWindow: undefined,
      facts: () => ({}),
      stallMs,
      // Nothing of this machine.
      env: { HOME: "/nowhere" },
    },
    10,
  );
}

/** A server that knows one wire format only, as real ones do. */
function start(theCase: Case, replies: readonly Reply[]): Promise<ModelServer> {
  return ModelServer.start(replies, { only: theCase.wire });
}

async function all(model: Model, asked: ModelRequest, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, signal)) events.push(event);
  return events;
}

const textOf = (events: readonly ModelEvent[]) =>
  events.map((event) => (event.type === "text" ? event.text : "")).join("");
const finishOf = (events: readonly ModelEvent[]) => {
  const last = events.at(-1);
  if (last?.type !== "finish") throw new Error("no finish");
  return last;
};
const joined = (messages: readonly SeenMessage[], field: "text" | "thinking" | "signature") =>
  messages.map((message) => message[field] ?? "").join("");

describe.each(cases)("$title", (theCase) => {
  it("streams text, and says what it used", async () => {
    await using server = await start(theCase, [{ text: ["Hel", "lo ", "👋"], usage: { input: 50, output: 7 } }]);
    const events = await all(await open(theCase, server), request([said("Hi")]));
    expect(textOf(events)).toBe("Hello 👋");
    expect(events.filter((event) => event.type === "text").length).toBeGreaterThan(1);
    expect(finishOf(events)).toMatchObject({
      reason: "stop",
      usage: { inputTokens: 50, outputTokens: 7 },
      message: [{ type: "text", text: "Hello 👋" }],
    });
    const [seen] = server.requests;
    expect(seen).toMatchObject({
      wire: theCase.wire,
      model: theCase.model,
      system: "Be brief.",
      messages: [{ role: "user", text: "Hi" }],
      tools: ["read"],
      maxOutputTokens: 1234,
      headers: { "x-team": "signals" },
    });
    expect(JSON.stringify(seen?.headers)).toContain("secret-key");
  });

  it("calls several tools in one answer, and brings back thoughts, signatures, calls and results in order", async () => {
    const first: Answer = {
      thinking: "I should look.",
      signature: "sig-1",
      text: "Looking.",
      toolCalls: [
        { name: "read", input: { path: "a.ts" } },
        { name: "read", input: { path: "b.ts" } },
      ],
    };
    await using server = await start(theCase, [first, { text: "Done." }]);
    const model = await open(theCase, server);
    const asked = request([said("Look at a and b")], { thinking: "low" });
    const events = await all(model, asked);
    const calls = events.filter((event) => event.type === "tool_call");
    expect(calls).toMatchObject([
      { name: "read", input: { path: "a.ts" } },
      { name: "read", input: { path: "b.ts" } },
    ]);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
    expect(
      events
        .filter((event) => event.type === "reasoning")
        .map((event) => event.text)
        .join(""),
    ).toBe("I should look.");
    const finish = finishOf(events);
    expect(finish.reason).toBe("tool_calls");

    const origin = `${model.provider}/${model.name}`;
    const results = calls.map((call, index) => ({
      id: call.id,
      name: call.name,
      content: [{ type: "text" as const, text: `file ${index}` }],
      isError: index === 1,
    }));
    const again = [
      ...asked.messages,
      { role: "assistant", content: finish.message, origin } as const,
      { role: "tool", results } as const,
    ];
    expect(textOf(await all(model, request(again, { thinking: "low" })))).toBe("Done.");

    const messages = server.requests[1]?.messages ?? [];
    expect(
      joined(
        messages.filter(({ role }) => role === "assistant"),
        "text",
      ),
    ).toBe("Looking.");
    expect(messages.flatMap(({ toolCalls = [] }) => toolCalls)).toMatchObject([
      { name: "read", input: { path: "a.ts" } },
      { name: "read", input: { path: "b.ts" } },
    ]);
    const seenResults = messages.flatMap(({ toolResults = [] }) => toolResults);
    expect(seenResults.map(({ text }) => text)).toEqual(["file 0", expect.stringContaining("file 1")]);
    if (theCase.ids) {
      expect(seenResults.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
      expect(messages.flatMap(({ toolCalls = [] }) => toolCalls).map(({ id }) => id)).toEqual(
        calls.map(({ id }) => id),
      );
    } else expect(seenResults.map(({ name }) => name)).toEqual(["read", "read"]);
    expect(joined(messages, "thinking")).toBe("I should look.");
    if (theCase.signed) expect(joined(messages, "signature")).toContain("sig-1");
  });

  it("leaves out another model's thoughts, but not its words", async () => {
    await using server = await start(theCase, [{ text: "ok" }]);
    const content = [
      { type: "reasoning", text: "secret thought", providerOptions: { other: { signature: "x" } } },
      { type: "text", text: "I said this." },
    ] as const;
    const before: ModelMessage = { role: "assistant", content, origin: "other/model" };
    await all(await open(theCase, server), request([said("Hi"), before, said("And?")]));
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain("secret thought");
    expect(joined(server.requests[0]?.messages ?? [], "text")).toBe("HiI said this.And?");
  });

  it("shows images of the user and of tools to the model", async () => {
    await using server = await start(theCase, [{ text: "A cat." }]);
    const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;
    const call = { type: "tool_call", id: "call_1", name: "read", input: { path: "cat.png" } } as const;
    const messages: ModelMessage[] = [
      { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
      { role: "assistant", content: [call] },
      { role: "tool", results: [{ id: "call_1", name: "read", content: [image], isError: false }] },
    ];
    await all(await open(theCase, server), request(messages));
    expect(JSON.stringify(server.requests[0]?.body).split("iVBORw0KGgo=")).toHaveLength(3);
  });

  it("keeps the text of arguments that are not JSON, so that the model can correct them", async () => {
    await using server = await start(theCase, [{ toolCalls: [{ name: "read", broken: '{"path": "a.ts' }] }]);
    const events = await all(await open(theCase, server), request([said("Read")]));
    const call = events.find((event) => event.type === "tool_call");
    // Gemini's wire format cannot carry text that is not JSON.
    if (theCase.wire === "gemini") expect(call).toMatchObject({ input: { broken: '{"path": "a.ts' } });
    else expect(call).toMatchObject({ input: {}, invalid: { text: '{"path": "a.ts' } });
  });

  it.each([
    ["max_tokens", "max_tokens"],
    ["refusal", "refusal"],
  ] as const)("tells the truth about an end by %s", async (finish, reason) => {
    if (theCase.wire === "ollama" && finish === "refusal") return;
    await using server = await start(theCase, [{ text: "So far", finish }]);
    expect(finishOf(await all(await open(theCase, server), request([said("Hi")]))).reason).toBe(reason);
  });

  it.each([
    [429, { "retry-after": "0" }],
    [500, {}],
    [503, {}],
    [529, {}],
  ] as const)("asks again after %i", async (status, headers) => {
    await using server = await start(theCase, [{ status, message: "busy", headers }, { text: "Here." }]);
    const events = await all(await open(theCase, server), request([said("Hi")]));
    expect(events.map(({ type }) => type)).toEqual(["retry", ...events.slice(1).map(({ type }) => type)]);
    expect(textOf(events)).toBe("Here.");
    expect(events[0]).toMatchObject({ reason: expect.stringContaining("busy") });
    if (status === 429) expect(events[0]).toMatchObject({ waitMs: 0 });
  });

  it.each([
    [400, "bad_request", "the model is confused"],
    [401, "unauthorized", "invalid key"],
    [404, "not_found", "no such model"],
    [413, "context_overflow", "too large"],
    [400, "context_overflow", "This model's maximum context length is 8192 tokens"],
  ] as const)("does not retry after %i (%s), and gives the provider's own message", async (status, code, message) => {
    await using server = await start(theCase, [
      { status, message },
      { status, message },
    ]);
    const error = await all(await open(theCase, server), request([said("Hi")])).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect((error as Error).message).not.toContain("secret-key");
    if (code === "unauthorized") expect((error as Error).message).toContain("THE_KEY");
    if (status !== 404) expect(server.requests).toHaveLength(1);
  });

  it("asks again when the connection breaks before an answer", async () => {
    await using server = await start(theCase, [{ refused: true }, { text: "Here." }]);
    expect(textOf(await all(await open(theCase, server), request([said("Hi")])))).toBe("Here.");
    expect(server.requests).toHaveLength(2);
  });

  it.each(["drop", "end", "junk", "error"] as const)(
    "asks again when the answer breaks off anywhere (%s), and never takes half an answer for a whole one",
    async (type) => {
      const whole: Answer = { text: "One two three four.", toolCalls: [{ name: "read", input: { path: "a.ts" } }] };
      // The last one leaves out only the frame that says that the answer is complete.
      const breaks = [1, 3, 5, -1 - (framesAfterEnd[theCase.wire] ?? 0)];
      const replies = breaks.flatMap((after): Reply[] => [
        { ...whole, fault: { type, after, message: "overloaded" } },
        { text: "Whole." },
      ]);
      await using server = await start(theCase, replies);
      const model = await open(theCase, server);
      for (const after of breaks) {
        const events = await all(model, request([said("Hi")]));
        const at = events.findIndex((event) => event.type === "retry");
        expect(at, `broken off at ${after}`).toBeGreaterThanOrEqual(0);
        expect(textOf(events.slice(at))).toBe("Whole.");
        expect(events.filter((event) => event.type === "finish")).toHaveLength(1);
      }
    },
    20_000,
  );

  it("notices a stalled answer, and asks again", async () => {
    await using server = await start(theCase, [
      { text: "One two.", fault: { type: "stall", after: 2 } },
      { text: "Here." },
    ]);
    const events = await all(await open(theCase, server, 150), request([said("Hi")]));
    expect(events.find((event) => event.type === "retry")).toMatchObject({
      reason: expect.stringContaining("sent nothing"),
    });
    expect(textOf(events)).toContain("Here.");
  });

  it("puts together what arrives in pieces", async () => {
    const text = "Grüße aus Köln 🚂 — schön";
    await using server = await start(theCase, [
      { text, toolCalls: [{ name: "read", input: { path: "größe.ts" } }], fault: { type: "torn" } },
    ]);
    const events = await all(await open(theCase, server), request([said("Hi")]));
    expect(textOf(events)).toBe(text);
    expect(events.find((event) => event.type === "tool_call")).toMatchObject({ input: { path: "größe.ts" } });
  });

  it("stops when it is cancelled, also while nothing comes", async () => {
    await using server = await start(theCase, [{ text: "One two three.", fault: { type: "stall", after: 3 } }]);
    const controller = new AbortController();
    const model = await open(theCase, server);
    const reason = new Error("cancelled by the test");
    const begun = performance.now();
    setTimeout(() => controller.abort(reason), 100);
    await expect(all(model, request([said("Hi")]), controller.signal)).rejects.toBe(reason);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});

describe("a provider", () => {
  const settings = {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    apiKey: undefined,
    keyVariable: "ANTHROPIC_API_KEY",
    keyRequired: true,
    baseUrl: undefined,
    api: undefined,
    headers: {},
    contextWindow: undefined,
    facts: () => ({}),
    stallMs: 1000,
    env: {},
  };

  it("says which key is missing before anything is sent", async () => {
    await expect(openModel(settings)).rejects.toMatchObject({
      code: "misconfigured",
      message: "anthropic needs a key: set ANTHROPIC_API_KEY in the environment.",
    });
  });

  it.each([
    ["key", { apiKey: "sec\nret" }, "The key of anthropic contains a line break. Copy it again."],
    [
      "header",
      { apiKey: "key", headers: { "x-team": "sec\r\nret" } },
      "The header x-team of anthropic contains a line break. Correct it in config.json.",
    ],
  ])("refuses a line break in a %s without quoting it", async (_, given, message) => {
    await expect(openModel({ ...settings, ...given })).rejects.toMatchObject({ code: "misconfigured", message });
  });

  it("does not wait when it is told to come back after minutes", async () => {
    const [theCase] = cases;
    if (theCase === undefined) throw new Error("no case");
    await using server = await start(theCase, [
      { status: 429, message: "slow down", headers: { "retry-after": "600" } },
    ]);
    await expect(all(await open(theCase, server), request([said("Hi")]))).rejects.toMatchObject({
      code: "rate_limited",
    });
  });

  it("marks for Anthropic what can be read from its cache", async () => {
    const anthropic = cases.find(({ provider }) => provider === "anthropic");
    if (anthropic === undefined) throw new Error("no case");
    await using server = await start(anthropic, [{ text: "ok" }]);
    await all(await open(anthropic, server), request([said("one"), said("two"), said("three")]));
    const body = server.requests[0]?.body ?? {};
    const marks = (value: unknown) => JSON.stringify(value).split('"cache_control"').length - 1;
    expect([marks(body.system), marks(body.tools), marks(body.messages)]).toEqual([1, 1, 2]);
  });
});
