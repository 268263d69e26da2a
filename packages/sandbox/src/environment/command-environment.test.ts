// Keys and tokens stay with us; everything else a command needs gets through.
import { expect, it } from "vitest";
import { commandEnvironment } from "./command-environment.ts";

it.each([
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "OPENROUTER_API_KEY",
  "SIGNALBOX_TOKEN",
  "SIGNALBOX_HOME",
  "MISTRAL_API_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "GITHUB_TOKEN",
  "npm_config_auth_token",
  "DB_PASSWORD",
  "SSH_AUTH_SOCK",
])("%s does not reach a command", (name) => {
  expect(commandEnvironment({ inherited: { [name]: "value", PATH: "/bin" } })).toEqual({ PATH: "/bin" });
});

it.each([
  "PATH",
  "HOME",
  "LANG",
  "TERM",
  "USER",
  "TMPDIR",
  "NODE_OPTIONS",
  "KEYBOARD_LAYOUT",
  "TOKENIZERS_PARALLELISM",
  "MONKEY",
])("%s does", (name) => {
  expect(commandEnvironment({ inherited: { [name]: "value" } })).toEqual({ [name]: "value" });
});

it("what the caller adds gets through, unless it is one of our names", () => {
  const added = { CI: "1", MY_SERVICE_TOKEN: "theirs", SIGNALBOX_TOKEN: "x", CUSTOM: "x" };
  expect(commandEnvironment({ inherited: {}, added, secretNames: ["CUSTOM"] })).toEqual({
    CI: "1",
    MY_SERVICE_TOKEN: "theirs",
  });
});

it("one of our secrets under another name is still our secret", () => {
  const inherited = { ANTHROPIC_API_KEY: "sk-ant-0123456789", HARMLESS: "sk-ant-0123456789" };
  expect(commandEnvironment({ inherited, added: { ALSO: "sk-ant-0123456789", CI: "1" } })).toEqual({ CI: "1" });
});

it("a short value is no secret by accident", () => {
  expect(commandEnvironment({ inherited: { SOME_KEY: "1", DEBUG: "1" } })).toEqual({ DEBUG: "1" });
});
