import { describe, expect, it } from "vitest";
import { customUrl, findKey, keyVariables, vendorSecrets } from "./providers.ts";

describe("the table of providers", () => {
  it.each([
    ["openai", { OPENAI_BASE_URL: "http://h:1/v1" }, "http://h:1/v1"],
    ["anthropic", { ANTHROPIC_BASE_URL: "http://h:1/" }, "http://h:1/v1"],
    ["anthropic", { ANTHROPIC_BASE_URL: "http://h:1/v1" }, "http://h:1/v1"],
    ["gemini", { GOOGLE_GEMINI_BASE_URL: "http://h:1" }, "http://h:1/v1beta"],
    ["openrouter", { OPENROUTER_BASE_URL: "http://h:1/api/v1" }, "http://h:1/api/v1"],
    ["ollama", { OLLAMA_HOST: "http://h:1" }, "http://h:1"],
    ["ollama", { OLLAMA_HOST: "0.0.0.0" }, "http://127.0.0.1:11434"],
    ["ollama", { OLLAMA_HOST: "h:1" }, "http://h:1"],
    ["azure", { AZURE_OPENAI_ENDPOINT: "https://me.openai.azure.com/" }, "https://me.openai.azure.com/openai/v1"],
    ["bedrock", { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: "http://h:1" }, "http://h:1"],
    ["openai", { OPENAI_BASE_URL: "" }, undefined],
    ["openai", {}, undefined],
    ["demo", {}, undefined],
    ["my own", { OPENAI_BASE_URL: "http://h:1/v1" }, undefined],
    // A name that every object has is no provider of ours.
    ["constructor", {}, undefined],
  ])("reads the address of %s from the vendor's own variable %j", (name, env, url) => {
    expect(customUrl(name, {}, env)).toBe(url);
    expect(customUrl(name, { base_url: "http://config" }, env)).toBe("http://config");
  });

  it("finds the key in the first variable that is set and not empty", () => {
    const variables = keyVariables("gemini");
    expect(findKey(variables, { GEMINI_API_KEY: "", GOOGLE_API_KEY: "g" })).toEqual({
      variable: "GOOGLE_API_KEY",
      value: "g",
    });
    expect(findKey(variables, { GEMINI_API_KEY: "a", GOOGLE_API_KEY: "g" })?.value).toBe("a");
    expect(findKey(variables, {})).toBeUndefined();
  });

  it("looks for the key where the config says and nowhere else", () => {
    expect(keyVariables("openai", { api_key_env: "MINE" })).toEqual(["MINE"]);
    expect(keyVariables("groq", { api_key_env: "GROQ" })).toEqual(["GROQ"]);
    expect(keyVariables("groq")).toEqual([]);
    expect(keyVariables("ollama")).toEqual([]);
  });

  it("names every variable that commands must not see", () => {
    expect(vendorSecrets).toEqual(
      expect.arrayContaining(["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY"]),
    );
  });
});
