import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Catalogue } from "./catalogue.ts";
import { choosePrice, nearestLevel } from "./model-facts.ts";
import { refreshModels } from "./refresh-models.ts";

const shipped = new Catalogue(undefined, {});

describe("the catalogue", () => {
  it.each([
    ["anthropic", "claude-sonnet-5-5", 1_000_000, 128_000, "low medium high xhigh max", 2],
    ["anthropic", "claude-sonnet-4-5-20250929", 200_000, 64_000, "low medium high", 3],
    ["openrouter", "anthropic/claude-sonnet-4.5", 200_000, 64_000, "low medium high", undefined],
    ["bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000, 64_000, "low medium high", undefined],
    ["vertex", "claude-sonnet-4-5@20250929", 200_000, 64_000, "low medium high", undefined],
    ["anthropic", "claude-next", 200_000, 32_000, "low medium high", undefined],
    ["openai", "gpt-5.4-mini", 272_000, 128_000, "low medium high xhigh", 0.75],
    // Its price is not that of the model whose name it begins with.
    ["openai", "gpt-5.4-mini-turbo", 272_000, 128_000, "low medium high xhigh", undefined],
    ["openai", "gpt-5.9", 272_000, 128_000, "low medium high", undefined],
    ["openai", "gpt-4.1", 1_047_576, 32_768, "", 2],
    ["vllm", "qwen3:8b", undefined, undefined, undefined, 0],
    ["my-server", "toString", undefined, undefined, undefined, undefined],
  ])("of %s knows %s", (provider, model, window, output, levels, input) => {
    const facts = shipped.facts(provider, model);
    expect([facts.contextWindow, facts.maxOutputTokens, facts.thinkingLevels?.join(" "), facts.price?.input]).toEqual([
      window,
      output,
      levels,
      input,
    ]);
  });

  it("has another price for a request with much input", () => {
    const facts = shipped.facts("gemini", "gemini-2.5-pro");
    expect(choosePrice(facts, 200_000)?.input).toBe(1.25);
    expect(choosePrice(facts, 200_001)?.input).toBe(2.5);
  });

  it("takes the user's word before its own, and offers those models first", () => {
    const catalogue = new Catalogue(undefined, {
      anthropic: { models: { "claude-mine": { context_window: 5000, price: { input: 1, output: 2 } } } },
      groq: { models: { fast: { thinking: [], images: false, max_output_tokens: 100 } } },
    });
    expect(catalogue.facts("anthropic", "claude-mine")).toMatchObject({
      contextWindow: 5000,
      maxOutputTokens: 32_000,
      price: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 },
    });
    expect(catalogue.facts("groq", "fast")).toEqual({ thinkingLevels: [], seesImages: false, maxOutputTokens: 100 });
    expect(catalogue.names("anthropic").slice(0, 2)).toEqual(["claude-mine", "claude-haiku-5-5"]);
    expect(catalogue.names("groq")).toEqual(["fast"]);
  });
});

it("gives the nearest level that a model has", () => {
  expect(nearestLevel("max", ["low", "high"])).toBe("high");
  expect(nearestLevel("minimal", ["low", "high"])).toBe("low");
  expect(nearestLevel("medium", ["low", "medium"])).toBe("medium");
  expect(nearestLevel("medium", [])).toBeUndefined();
});

/** As models.dev writes it, with what we do not use and with what is wrong. */
const published = {
  anthropic: {
    id: "anthropic",
    env: ["ANTHROPIC_API_KEY"],
    npm: "@ai-sdk/anthropic",
    name: "Anthropic",
    doc: "https://docs.anthropic.com",
    models: {
      "claude-old": { id: "claude-old", tool_call: true, release_date: "2024-01-01", limit: { context: 1, output: 1 } },
      "claude-new": {
        id: "claude-new",
        name: "Claude New",
        family: "claude",
        attachment: true,
        reasoning: true,
        reasoning_options: [{ type: "toggle" }, { type: "effort", values: ["none", "low", "max", null] }],
        tool_call: true,
        release_date: "2027-01-05",
        last_updated: "2027-01-05",
        modalities: { input: ["text", "image", "pdf"], output: ["text"] },
        open_weights: false,
        cost: {
          input: 4,
          output: 20,
          cache_read: 0.4,
          cache_write: 5,
          tiers: [{ tier: { size: 200_000 }, input: 8, output: 30, cache_read: 0.8 }],
        },
        limit: { context: 2_000_000, input: 1_800_000, output: 256_000 },
        experimental: { modes: {} },
      },
      "claude-gone": { tool_call: true, status: "deprecated", release_date: "2027-02-01" },
      "claude-talk": { tool_call: false, release_date: "2027-02-01" },
      "claude-paints": { modalities: { input: ["text"], output: ["image"] } },
      "claude-broken": { limit: "much", cost: { input: -1, output: "free" }, reasoning: "yes", modalities: null },
    },
  },
  google: { models: { "gemini-old": { cost: { input: 1, output: 2, context_over_200k: { input: 3, output: 4 } } } } },
  nothing: { models: {} },
  wrong: 3,
};

describe("a list that is fetched", () => {
  let server: Server;
  let folder: string;
  let answer: { status: number; body: string };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "catalogue-"));
    answer = { status: 200, body: JSON.stringify(published) };
    server = createServer((_request, response) => response.writeHead(answer.status).end(answer.body));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  const env = () => ({ SIGNALBOX_MODELS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api.json` });

  it("replaces the one that comes with Signalbox, with its date and address", async () => {
    await refreshModels(folder, env());
    const catalogue = new Catalogue(folder, {});
    expect(catalogue.asOf).toBe(new Date().toISOString().slice(0, 10));
    expect(catalogue.fetchedFrom).toBe(env().SIGNALBOX_MODELS_URL);
    expect(catalogue.facts("anthropic", "claude-new-20270105")).toEqual({
      contextWindow: 1_800_000,
      maxOutputTokens: 256_000,
      thinkingLevels: ["low", "max"],
      seesImages: true,
      readsPdfs: true,
      callsTools: true,
      released: "2027-01-05",
      price: {
        input: 4,
        output: 20,
        cacheRead: 0.4,
        cacheWrite: 5,
        tiers: [{ above: 200_000, input: 8, output: 30, cacheRead: 0.8, cacheWrite: 8 }],
      },
    });
    expect(choosePrice(catalogue.facts("gemini", "gemini-old"), 200_001)?.output).toBe(4);
    // Newest first; none that is gone, calls no tools or writes no text. What is wrong in one is only not known.
    expect(catalogue.names("anthropic")).toEqual(["claude-new", "claude-old", "claude-broken"]);
    expect(catalogue.facts("anthropic", "claude-broken")).toEqual({});
    // What it does not list is still known.
    expect(catalogue.facts("anthropic", "claude-sonnet-5-5").price?.input).toBe(2);
    expect(readFileSync(join(folder, "models.json"), "utf8")).not.toContain("open_weights");
  });

  it.each([
    [{ status: 503, body: "" }, "it answered 503"],
    [{ status: 200, body: "<html>" }, "is not valid JSON"],
    [{ status: 200, body: "[]" }, "it lists no model"],
  ])("and cannot be used leaves the one before (%j)", async (wrong, reason) => {
    await refreshModels(folder, env());
    answer = wrong;
    await expect(refreshModels(folder, env())).rejects.toThrow(reason);
    expect(new Catalogue(folder, {}).facts("anthropic", "claude-new").maxOutputTokens).toBe(256_000);
  });

  it("says which address does not answer, without the password in it", async () => {
    const refused = refreshModels(folder, { SIGNALBOX_MODELS_URL: "http://me:secret@127.0.0.1:1/api.json?key=secret" });
    await expect(refused).rejects.toThrow(/^The list of models at http:\/\/127\.0\.0\.1:1\/api\.json cannot be used: /);
    await expect(refused).rejects.not.toThrow("secret");
  });

  it("and was damaged counts as none", () => {
    writeFileSync(join(folder, "models.json"), '{"as_of": "2027');
    expect(new Catalogue(folder, {}).asOf).toBe(shipped.asOf);
  });
});
