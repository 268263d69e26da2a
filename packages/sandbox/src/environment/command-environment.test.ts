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
  "PGPASSWORD",
  "MYSQL_PWD",
  "GITHUB_PAT",
  "NPM_CONFIG__AUTH",
  "SENTRY_DSN",
  "GITHUBTOKEN",
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

it.each([
  "postgres://user:password@db.example/app",
  "jdbc:postgresql://user:password@db.example/app",
  "redis://:password@cache.example",
  "Server=db;User Id=sa;Password=hunter2;",
  "DefaultEndpointsProtocol=https;AccountKey=abc==",
  "-----BEGIN OPENSSH PRIVATE KEY-----\nabc",
  "ghp_0123456789abcdef0123456789abcdef0123",
  "sk-ant-0123456789abcdef0123",
])("a value such as %s reaches no command, whatever its name is", (value) => {
  expect(commandEnvironment({ inherited: { HARMLESS: value, ALSO: value, CI: "1" } })).toEqual({ CI: "1" });
});

it.each([
  "https://example.com/a?b=c",
  "git@github.com:a/b.git",
  "http://localhost:8080/x@y",
  "a:b@c",
  "sk-short",
  "/home/me",
])("a value such as %s does", (value) => {
  expect(commandEnvironment({ inherited: { HARMLESS: value } })).toEqual({ HARMLESS: value });
});

it("a folder is no password, although its name ends like one", () => {
  const inherited = { PWD: "/home/me", OLDPWD: "/tmp", PROJECT_PWD: "/home/me" };
  expect(commandEnvironment({ inherited })).toEqual(inherited);
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
