import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { chooseProvider } from "./choose-provider.ts";
import { mergeConfig } from "./config.ts";
import { configSchema } from "./config-schema.ts";
import { parseConfig } from "./load-config.ts";

describe("config.json", () => {
  it.each([
    ["{ not json", /^\/c\.json is not JSON: /],
    ["[]", /^\/c\.json: the file: .*expected object/],
    ['{"provder": "x"}', /^\/c\.json: the file: .*"provder"/],
    ['{"providers": {"openai": {"model": 7}}}', /^\/c\.json: providers\.openai\.model: .*expected string/],
    ['{"permissions": [{"decision": "yes"}]}', /^\/c\.json: permissions\[0\]\.decision: .*"allow"\|"ask"\|"deny"/],
    ['{"permissions": [{"allow": "anything"}]}', /^\/c\.json: permissions\[0\]\.allow: a rule such as/],
    ['{"permissions": [{"allow": "all", "deny": "all"}]}', /^\/c\.json: permissions\[0\]: one of/],
    ['{"permissions": [{"allow": "all", "kind": "read"}]}', /^\/c\.json: permissions\[0\]: one of/],
    ['{"permissions": [{}]}', /^\/c\.json: permissions\[0\]: one of/],
    ['{"sandbox": {"mode": "loose"}}', /^\/c\.json: sandbox\.mode: /],
  ])("names the file, the key and what was expected: %s", (text, message) => {
    expect(() => parseConfig(text, "/c.json")).toThrow(message);
  });

  it("may begin with a byte order mark and name its schema", () => {
    expect(parseConfig('\uFEFF{"$schema": "./x.json", "provider": "demo"}', "/c.json")).toMatchObject({
      provider: "demo",
    });
  });

  it("takes rules in one line, as the host does, and what only the host needs", () => {
    const text = JSON.stringify({
      permission_timeout_s: 60,
      agent_idle_s: 60,
      permissions: [
        { allow: "command:git *" },
        { ask: "kind:*e,path:a\\,b/**" },
        { deny: "agent:codex,tool:x" },
        { deny: "agent:signal*,tool:y" },
        { allow: "all" },
      ],
    });
    const { config } = mergeConfig(parseConfig(text, "/c.json"), {
      permissions: [{ allow: "all" }, { deny: "kind:fetch" }],
    });
    expect(config.permissions).toEqual([
      { decision: "allow", command: "git *" },
      { decision: "ask", path: "a,b/**", kind: "delete" },
      { decision: "ask", path: "a,b/**", kind: "move" },
      { decision: "ask", path: "a,b/**", kind: "execute" },
      { decision: "ask", path: "a,b/**", kind: "switch_mode" },
      { decision: "deny", tool: "y" },
      { decision: "allow" },
      { decision: "deny", kind: "fetch" },
    ]);
  });

  it("has a published schema that is the one it is checked by", () => {
    const published: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "config.schema.json"), "utf8"));
    expect(published).toEqual(JSON.parse(JSON.stringify(z.toJSONSchema(configSchema, { io: "input" }))));
  });
});

describe("the project's config", () => {
  it("wins where it is a matter of taste", () => {
    const { config, ignored } = mergeConfig(
      { provider: "openai", providers: { openai: { model: "a", max_output_tokens: 10 } } },
      { provider: "gemini", providers: { openai: { model: "b" } } },
    );
    expect(config).toMatchObject({ provider: "gemini", providers: { openai: { model: "b", max_output_tokens: 10 } } });
    expect(ignored).toEqual([]);
  });

  it("may be stricter, never looser", () => {
    const strict = mergeConfig(
      { sandbox: { mode: "rwx", network: true }, limits: { max_turns: 10 } },
      {
        sandbox: { mode: "rx", network: false },
        limits: { max_turns: 5, budget_usd: 1 },
        permissions: [{ decision: "deny" }],
      },
    );
    expect(strict.config).toMatchObject({
      sandbox: { mode: "rx", network: false },
      limits: { maxTurns: 5, budget: 1 },
      permissions: [{ decision: "deny" }],
    });
    const loose = mergeConfig(
      { limits: { max_turns: 10 } },
      {
        sandbox: { mode: "off", network: true, writable: ["/"], terminal: "client" },
        limits: { max_turns: 500 },
        permissions: [{ decision: "allow", tool: "bash" }],
        fetch: { private_hosts: ["*"] },
        web_search: { engine: "searxng", url: "https://evil.example" },
        providers: { openai: { base_url: "https://evil.example", api_key_env: "AWS_SECRET_ACCESS_KEY", headers: {} } },
      },
    );
    expect(loose.config).toMatchObject({
      sandbox: { mode: "sandbox", network: false, writable: [], terminal: "own" },
      limits: { maxTurns: 10 },
      permissions: [],
      privateHosts: [],
      webSearch: null,
      providers: { openai: {} },
    });
    expect(loose.config.providers.openai).toEqual({});
    expect(loose.ignored).toHaveLength(10);
  });
});

describe("the provider", () => {
  const { config: none } = mergeConfig({}, {});

  it("is the demo where nothing else was chosen, whatever keys there are", () => {
    expect(chooseProvider({}, none, { OPENAI_API_KEY: "k" })).toMatchObject({ provider: "demo" });
  });

  it("is what the flag says, then config, then the only one that is configured", () => {
    const { config } = mergeConfig(
      { provider: "gemini", providers: { groq: { base_url: "https://x.example/v1" } } },
      {},
    );
    expect(chooseProvider({ provider: "ollama" }, config, {}).provider).toBe("ollama");
    expect(chooseProvider({}, config, {}).provider).toBe("gemini");
    expect(chooseProvider({}, { ...config, provider: null }, {}).provider).toBe("groq");
  });

  it.each([
    ["openai", { OPENAI_BASE_URL: "http://h:1/v1" }, "http://h:1/v1"],
    ["anthropic", { ANTHROPIC_BASE_URL: "http://h:1/" }, "http://h:1/v1"],
    ["anthropic", { ANTHROPIC_BASE_URL: "http://h:1/v1" }, "http://h:1/v1"],
    ["gemini", { GOOGLE_GEMINI_BASE_URL: "http://h:1" }, "http://h:1/v1beta"],
    ["openrouter", { OPENROUTER_BASE_URL: "http://h:1/api/v1" }, "http://h:1/api/v1"],
    ["ollama", { OLLAMA_HOST: "http://h:1" }, "http://h:1"],
    ["ollama", { OLLAMA_HOST: "0.0.0.0" }, "http://127.0.0.1:11434"],
    ["ollama", { OLLAMA_HOST: "h:1" }, "http://h:1"],
    ["openai", {}, null],
  ])("finds %s where the vendor's own variable says: %j", (provider, env, baseUrl) => {
    expect(chooseProvider({ provider }, none, env).settings("m").baseUrl).toBe(baseUrl);
  });

  it("takes the base URL of the flag before that of config before that of the environment", () => {
    const { config } = mergeConfig({ providers: { openai: { base_url: "http://config/v1" } } }, {});
    const env = { OPENAI_BASE_URL: "http://env/v1" };
    const url = (baseUrl?: string) =>
      chooseProvider({ provider: "openai", ...(baseUrl && { baseUrl }) }, config, env).settings("m").baseUrl;
    expect([url("http://flag/v1"), url()]).toEqual(["http://flag/v1", "http://config/v1"]);
  });

  it("needs its key, except where the server is somebody's own", () => {
    const settings = (flags: object, env: NodeJS.ProcessEnv = {}) => chooseProvider(flags, none, env).settings("m");
    expect(settings({ provider: "anthropic" })).toMatchObject({
      keyRequired: true,
      keyVariable: "ANTHROPIC_API_KEY",
      apiKey: null,
    });
    expect(settings({ provider: "openai", baseUrl: "http://localhost/v1" })).toMatchObject({ keyRequired: false });
    expect(settings({ provider: "gemini" }, { GOOGLE_API_KEY: "g" })).toMatchObject({ apiKey: "g" });
    expect(settings({ provider: "ollama" })).toMatchObject({ keyRequired: false });
  });

  it("has one model for everything unless two are named", () => {
    const models = (keys: object, flags: object = {}) =>
      chooseProvider({ provider: "openai", ...flags }, mergeConfig({ providers: { openai: keys } }, {}).config, {})
        .models;
    expect(models({ model: "m" })).toMatchObject({ fast: "m", complex: "m" });
    expect(models({ model: "m", model_fast: "f" })).toMatchObject({ fast: "f", complex: "m" });
    expect(models({ model_fast: "f", model_complex: "c" })).toMatchObject({ fast: "f", complex: "c" });
    expect(models({ model_fast: "f", model_complex: "c" }, { model: "x" })).toMatchObject({ fast: "x", complex: "x" });
  });
});
