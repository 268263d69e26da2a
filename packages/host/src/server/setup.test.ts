import { expect, it } from "vitest";
import { chooseUsualProvider, listProviderKeys } from "./setup.ts";

const kept = (agent: string, variable: string) =>
  ({ agent, variable, last_four: "abcd", place: "file", saved_at: 1 }) as const;
const inFile = { key_source: "file", last_four: "abcd" };
const inEnvironment = { key_source: "environment", last_four: null };
const nowhere = { key_source: null, last_four: null };

it("looks for keys in the variables that our agent reads, and never shows their values", () => {
  const env = { OPENAI_API_KEY: "", GOOGLE_API_KEY: "secret", WORK_MODEL: "secret", ANTHROPIC_API_KEY: "secret" };
  const rows = listProviderKeys(
    { providers: { anthropic: { api_key_env: "WORK_KEY" }, openrouter: { api_key_env: "WORK_MODEL" } } },
    env,
    [kept("signalbox", "OPENAI_API_KEY"), kept("signalbox", "GOOGLE_API_KEY"), kept("codex", "WORK_KEY")],
  );
  expect(rows).toEqual([
    {
      name: "anthropic",
      label: "Anthropic",
      key_present: false,
      variable: "WORK_KEY",
      ...nowhere,
      key_prefix: "sk-ant-",
    },
    { name: "openai", label: "OpenAI", key_present: true, variable: "OPENAI_API_KEY", ...inFile, key_prefix: "sk-" },
    {
      name: "gemini",
      label: "Gemini",
      key_present: true,
      variable: "GOOGLE_API_KEY",
      ...inEnvironment,
      key_prefix: "AIza",
    },
    {
      name: "openrouter",
      label: "OpenRouter",
      key_present: true,
      variable: "WORK_MODEL",
      ...inEnvironment,
      key_prefix: "sk-or-",
    },
  ]);
});

it("asks for a key that alone does not do only where the config lists its provider", () => {
  const names = (providers: object) => listProviderKeys({ providers: { ...providers } }, {}).map(({ name }) => name);
  expect(names({})).toEqual(["anthropic", "openai", "gemini", "openrouter"]);
  expect(names({ azure: {}, bedrock: {}, vertex: {} })).toEqual([
    "anthropic",
    "openai",
    "gemini",
    "openrouter",
    "azure",
    "bedrock",
  ]);
});

it.each([
  [{}, {}, [], null],
  [{}, { OPENAI_API_KEY: "a", ANTHROPIC_API_KEY: "b" }, [], "anthropic"],
  [{}, { OPENAI_API_KEY: "" }, [kept("signalbox", "OPENAI_API_KEY")], "openai"],
  [{}, {}, [kept("codex", "OPENAI_API_KEY")], null],
  [{}, { OLLAMA_HOST: "h" }, [], "ollama"],
  [{ mine: {} }, { ANTHROPIC_API_KEY: "b" }, [], "mine"],
])(
  "where config.json has the providers %j, and %j and %j are set, new threads use %s",
  (providers, env, keys, name) => {
    expect(chooseUsualProvider({ providers: { ...providers } }, env, keys)).toBe(name);
  },
);
