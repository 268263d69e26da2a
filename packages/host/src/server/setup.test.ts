import { expect, it } from "vitest";
import { providerKeys } from "./setup.ts";

it("looks for keys in the variables that our agent reads, and never shows their values", () => {
  const env = { OPENAI_API_KEY: "", GOOGLE_API_KEY: "secret", WORK_MODEL: "secret", ANTHROPIC_API_KEY: "secret" };
  const rows = providerKeys(
    { providers: { anthropic: { api_key_env: "WORK_KEY" }, openrouter: { api_key_env: "WORK_MODEL" } } },
    env,
  );
  expect(rows).toEqual([
    { name: "openai", label: "OpenAI", key_present: false, variable: "OPENAI_API_KEY" },
    { name: "anthropic", label: "Anthropic", key_present: false, variable: "WORK_KEY" },
    { name: "openrouter", label: "OpenRouter", key_present: true, variable: "WORK_MODEL" },
    { name: "gemini", label: "Gemini", key_present: true, variable: "GOOGLE_API_KEY" },
  ]);
});
