import { describe, expect, it } from "vitest";
import { chooseProvider } from "./choose-provider.ts";

type Source = Parameters<typeof chooseProvider>[1];

const configured = (config: Partial<Source>): Source => ({
  provider: undefined,
  providers: {},
  limits: { stall_timeout_s: 1 },
  ...config,
});
const none = configured({});

describe("the provider", () => {
  it("follows from the key in the environment, and is none without one", () => {
    const chosen = (env: NodeJS.ProcessEnv) => chooseProvider({}, none, env)?.provider;
    expect(chosen({ OPENAI_API_KEY: "k" })).toBe("openai");
    expect(chosen({ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).toBe("anthropic");
    expect(chosen({ GOOGLE_API_KEY: "k", OPENROUTER_API_KEY: "k" })).toBe("gemini");
    expect(chosen({ OLLAMA_HOST: "localhost" })).toBe("ollama");
    expect(chosen({ OPENAI_API_KEY: "" })).toBeUndefined();
    expect(chosen({ AZURE_OPENAI_API_KEY: "k" })).toBeUndefined();
    const listed = configured({ providers: { azure: {}, gemini: {} } });
    expect(chooseProvider({}, listed, { AZURE_OPENAI_API_KEY: "k" })?.provider).toBe("azure");
    expect(chooseProvider({}, listed, { AZURE_OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" })?.provider).toBe("gemini");
    expect(chooseProvider({ provider: "demo" }, none, { OPENAI_API_KEY: "k" })?.provider).toBe("demo");
  });

  it("is the flag's, then the config's, then the only one that is configured", () => {
    const providers = { groq: { base_url: "https://x.example/v1" } };
    const config = configured({ provider: "gemini", providers });
    expect(chooseProvider({ provider: "ollama" }, config, {})?.provider).toBe("ollama");
    expect(chooseProvider({}, config, {})?.provider).toBe("gemini");
    expect(chooseProvider({}, configured({ providers }), {})?.provider).toBe("groq");
  });

  it("is reached at the flag's base URL, else the config's, else the environment's, else its own", () => {
    const config = configured({ providers: { openai: { base_url: "http://config/v1" } } });
    const env = { OPENAI_BASE_URL: "http://env/v1" };
    const url = (flags: object, source: Source, variables: NodeJS.ProcessEnv) =>
      chooseProvider({ provider: "openai", ...flags }, source, variables)?.settings("m").baseUrl;
    expect(url({ baseUrl: "http://flag/v1" }, config, env)).toBe("http://flag/v1");
    expect(url({}, config, env)).toBe("http://config/v1");
    expect(url({}, none, env)).toBe("http://env/v1");
    expect(url({}, none, {})).toBe("https://api.openai.com/v1");
  });

  it("needs its key, except where the server is the user's own", () => {
    const settings = (flags: object, env: NodeJS.ProcessEnv = {}) => chooseProvider(flags, none, env)?.settings("m");
    expect(settings({ provider: "anthropic" })).toMatchObject({
      keyRequired: true,
      keyVariable: "ANTHROPIC_API_KEY",
      apiKey: undefined,
    });
    expect(settings({ provider: "openai", baseUrl: "http://localhost/v1" })).toMatchObject({ keyRequired: false });
    expect(settings({ provider: "gemini" }, { GOOGLE_API_KEY: "g" })).toMatchObject({ apiKey: "g" });
    expect(settings({ provider: "ollama" })).toMatchObject({ keyRequired: false });
  });

  it("has one model for everything unless two are named", () => {
    const models = (openai: object, flags: object = {}) =>
      chooseProvider({ provider: "openai", ...flags }, configured({ providers: { openai } }), {})?.models;
    expect(models({ model: "m" })).toMatchObject({ fast: "m", complex: "m" });
    expect(models({ model: "m", model_fast: "f" })).toMatchObject({ fast: "f", complex: "m" });
    expect(models({ model_fast: "f", model_complex: "c" })).toMatchObject({ fast: "f", complex: "c" });
    expect(models({ model_fast: "f", model_complex: "c" }, { model: "x" })).toMatchObject({ fast: "x", complex: "x" });
  });

  it.each(["anthropic", "openai", "gemini"])("%s answers with a model of known window and price", (provider) => {
    const choice = chooseProvider({ provider }, none, {});
    expect(choice?.facts(choice.models.complex)).toMatchObject({
      contextWindow: expect.any(Number),
      maxOutputTokens: expect.any(Number),
      price: { input: expect.any(Number), cacheWrite: expect.any(Number) },
    });
  });

  it("of a model can be another one: models of all providers with a key are offered, and PROVIDER:NAME is reached at its own place", () => {
    const env = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" };
    const choice = chooseProvider({ baseUrl: "http://flag/v1" }, none, env);
    expect(choice?.provider).toBe("anthropic");
    expect(choice?.models.known).toContain("claude-opus-5-5");
    expect(choice?.models.known).toContain("openai:gpt-6.1-terra");
    expect(choice?.models.known.filter((name) => /^(gemini|ollama|demo):/.test(name))).toEqual([]);
    expect(choice?.settings("openai:gpt-6.1-terra")).toMatchObject({
      provider: "openai",
      model: "gpt-6.1-terra",
      apiKey: "o",
      baseUrl: "https://api.openai.com/v1",
    });
    expect(choice?.settings("x")).toMatchObject({ provider: "anthropic", model: "x", baseUrl: "http://flag/v1" });
    // An Ollama whose place is known is asked which models it has.
    expect(choice?.userServers).toEqual([]);
    expect(chooseProvider({}, none, { ...env, OLLAMA_HOST: "http://box" })?.userServers).toEqual(["ollama"]);
    expect(["openai:", "anthropic:x", "anthropic:", "qwen3:8b"].map((name) => choice?.canonical(name))).toEqual([
      "openai:gpt-6.1-sol",
      "x",
      "claude-sonnet-5-5",
      "qwen3:8b",
    ]);
  });

  it("follows from the wanted model where nothing else names one", () => {
    expect(chooseProvider({}, none, {}, "ollama:qwen3:8b")?.settings("ollama:qwen3:8b")).toMatchObject({
      provider: "ollama",
      model: "qwen3:8b",
    });
    expect(chooseProvider({}, none, {}, "qwen3:8b")).toBeUndefined();
  });
});
