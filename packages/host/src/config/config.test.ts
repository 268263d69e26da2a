import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keyVariables, parseConfig, readProjectRules, rulesOf } from "./config.ts";

describe("config.json", () => {
  it("of a project may be a pipe, which any command can make: it is refused, and nobody waits for it", () => {
    const project = mkdtempSync(join(tmpdir(), "signalbox-config-"));
    mkdirSync(join(project, ".signalbox"));
    execFileSync("mkfifo", [join(project, ".signalbox/config.json")]);
    expect(() => readProjectRules(project)).toThrow("is not a regular file");
    rmSync(project, { recursive: true });
  });

  it("has safe defaults when it says nothing", () => {
    expect(parseConfig({}, "f")).toEqual({
      agents: {},
      permissions: [],
      permission_timeout_s: 3600,
      agent_idle_s: 1800,
      sandbox: { mode: "sandbox", network: false, writable: [] },
    });
  });

  it("reads rules with a key for each term, as the agent of Signalbox does", () => {
    const permissions = [
      { decision: "allow", kind: "execute", command: "git log, a *" },
      { decision: "deny", path: "**/.env" },
      { decision: "ask" },
    ];
    expect(rulesOf(parseConfig({ permissions }, "f"))).toEqual([
      { decision: "allow", match: "kind:execute,command:git log\\, a *" },
      { decision: "deny", match: "path:**/.env" },
      { decision: "ask", match: "all" },
    ]);
  });

  it("knows in which variables keys are", () => {
    const providers = { a: { api_key_env: "A", model: "m" }, b: { model: "m" }, c: 7 };
    const web_search = { engine: "brave", url: "https://a.example", api_key_env: "S" };
    expect(keyVariables(parseConfig({ providers, web_search }, "f"))).toEqual(["A", "S"]);
    expect(keyVariables(parseConfig({ providers: "x" }, "f"))).toEqual([]);
  });

  it("keeps the rules in order and the keys of other rooms", () => {
    const config = parseConfig(
      { permissions: [{ allow: "command:git *" }, { deny: "all" }], providers: { x: 1 } },
      "f",
    );
    expect(rulesOf(config)).toEqual([
      { decision: "allow", match: "command:git *" },
      { decision: "deny", match: "all" },
    ]);
    expect(config.providers).toEqual({ x: 1 });
  });

  it.each([
    [{ sandbox: { mode: "free" } }, /^FILE: "sandbox.mode" is not right: .*"sandbox"\|"rx"\|"rwx"\|"off"/],
    [{ sandbox: { netwrok: true } }, /^FILE: "sandbox" is not right: .*netwrok/],
    [{ agents: { mine: { args: [] } } }, /^FILE: "agents.mine.command" is not right/],
    [{ agents: { "my agent": { command: "x" } } }, /^FILE: "agents.my agent" is not right: letters, digits, dots/],
    [{ permissions: [{ allow: "colour:red" }] }, /^FILE: "permissions.0.allow" is not right: a rule such as/],
    [[], /^FILE: the file is not right/],
  ])("%j is refused with the file, the key and what was expected", (value, message) => {
    expect(() => parseConfig(value, "FILE")).toThrow(message);
  });
});
