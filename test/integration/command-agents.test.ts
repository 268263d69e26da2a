// `signalbox agents` and `signalbox doctor`: what is there, what works, and what to do about the rest.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { AgentRow, AgentTestRow } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { fakeAgentFile } from "../support/fake-agent/script.ts";
import { HostProcess, runProgram, TemporaryFolder } from "../support/host-process.ts";
import { ModelServer } from "../support/model-server/model-server.ts";
import { PackageRegistry, smallAgent } from "../support/package-registry.ts";

const fail = JSON.stringify([{ log: "no such model" }, { exit: 3 }]);

/** A data folder with agents of its own: one that works, one that dies, one that is not there. */
function configured(folder: TemporaryFolder): string {
  mkdirSync(folder.in("data"));
  const node = { command: process.execPath };
  const agents = {
    works: { ...node, args: [fakeAgentFile], label: "Works" },
    dies: { ...node, args: [fakeAgentFile, "--script", fail] },
    missing: { command: "no-such-program-anywhere" },
  };
  writeFileSync(folder.in("data/config.json"), JSON.stringify({ agents }));
  return folder.in("data");
}

const rowsOf = <Row>(text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);

describe("agents", () => {
  it("lists our own, the known and the configured ones, with what to do about what is missing", async () => {
    using folder = new TemporaryFolder();
    const data = configured(folder);
    const { stdout, code } = await runProgram(["agents", "--json", "--data-dir", data]);
    expect(code).toBe(0);
    const byId = new Map(rowsOf<AgentRow>(stdout).map((row) => [row.id, row]));
    expect(byId.get("demo")).toMatchObject({ readiness: "ready", reason: null });
    expect(byId.get("works")).toMatchObject({ readiness: "ready", label: "Works" });
    expect(byId.get("missing")).toMatchObject({ readiness: "not_installed", reason: expect.stringContaining("PATH") });
    expect(byId.get("gemini")?.install).toMatch(/^npm install /);
    const shown = await runProgram(["agents", "--data-dir", data]);
    expect(shown.stdout).toMatch(/^AGENT +STATE/);
    expect(shown.stdout).toMatch(/^works +ready/m);
    const installed = await runProgram(["agents", "--installed", "--data-dir", data]);
    expect(installed.stdout).not.toContain("missing");
  });

  it("names a config that cannot be read", async () => {
    using folder = new TemporaryFolder();
    const data = configured(folder);
    writeFileSync(folder.in("data/config.json"), "{ agents");
    const { code, stderr } = await runProgram(["agents", "--data-dir", data]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/config\.json is not JSON: .*\n$/);
  });
});

describe("models", () => {
  it("lists what is known with its date, gets the newest list on request, and keeps the old one when that fails", async () => {
    using folder = new TemporaryFolder();
    mkdirSync(folder.in("data"));
    const own = { models: { mine: { price: { input: 1, output: 2 } } } };
    writeFileSync(folder.in("data/config.json"), JSON.stringify({ providers: { groq: own } }));
    const models = (...args: readonly string[]) => runProgram(["models", ...args, "--data-dir", folder.in("data")]);
    const shown = await models();
    expect(shown.stdout).toMatch(/^MODEL +WINDOW/);
    expect(shown.stdout).toMatch(/^anthropic:claude-sonnet-5-5 +1\.0 M .*\$2 +\$10/m);
    expect(shown.stdout).toMatch(/^groq:mine +\? .*\$1 +\$2/m);
    expect(shown.stdout).toMatch(/The list is of \d{4}-\d\d-\d\d \(comes with Signalbox/);
    const list = { anthropic: { models: { "claude-9": { tool_call: true, limit: { context: 5, output: 4 } } } } };
    await using server = await ModelServer.start([], { catalogue: list });
    const env = { SIGNALBOX_MODELS_URL: `${server.url}/api.json` };
    const refreshed = await runProgram(
      ["models", "claude-9", "--refresh", "--json", "--data-dir", folder.in("data")],
      env,
    );
    expect(rowsOf(refreshed.stdout)).toEqual([
      { provider: "anthropic", model: "claude-9", contextWindow: 5, maxOutputTokens: 4, callsTools: true },
    ]);
    await server[Symbol.asyncDispose]();
    const failed = await runProgram(["models", "--refresh", "--data-dir", folder.in("data")], env);
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringContaining("cannot be used: nothing listens at 127.0.0.1:"),
    ]);
    expect((await models("Claude-9")).stdout).toContain("anthropic:claude-9");
    expect((await models("claude-9")).stdout).toContain(`(${env.SIGNALBOX_MODELS_URL})`);
    expect((await models("nothing-like-this")).stdout).toContain("No matches.");
  });
});

describe("agents install", () => {
  it("says the command and what to know, runs it without keys, and tests the agent", async () => {
    using folder = new TemporaryFolder();
    await using registry = await PackageRegistry.start([
      {
        name: "opencode-ai",
        version: "1.18.33",
        bin: { opencode: "opencode.js" },
        files: { "opencode.js": smallAgent("Hello.") },
        scripts: { postinstall: `env > ${folder.in("environment")}` },
      },
    ]);
    // As `npm start` leaves it for what it starts, in a checkout whose own packages may run nothing.
    const started = { npm_config_ignore_scripts: "true" };
    const keys = { HOME: folder.path, OPENAI_API_KEY: "sk-secret" };
    const env = { ...registry.environment(folder.in("cache")), ...started, ...keys };
    const install = (id: string) =>
      runProgram(["agents", "install", id, "--json", "--data-dir", folder.in("data")], env);
    const { code, stdout, stderr } = await install("opencode");
    expect(stderr).toMatch(
      /^npm install --prefix \S+agents\/opencode --ignore-scripts=false --save-exact opencode-ai@1\.18\.33\n.*runs a program/,
    );
    expect(rowsOf<AgentTestRow>(stdout)).toMatchObject([{ agent_id: "opencode", readiness: "ready" }]);
    expect(code).toBe(0);
    expect(readFileSync(folder.in("environment"), "utf8")).not.toContain("sk-secret");
    expect(registry.asked).toContain("files/opencode-ai.tgz");

    const missing = await install("gemini");
    expect(missing.stderr).toContain("Gemini CLI could not be installed: npm exited with code 1.");
    expect(missing.code).toBe(1);
    expect(readdirSync(folder.in("data/agents"))).toEqual(["opencode"]);
  });
});

describe("doctor", () => {
  it("tests one agent step by step", async () => {
    using folder = new TemporaryFolder();
    const data = configured(folder);
    const well = await runProgram(["doctor", "works", "--data-dir", data]);
    expect(well.code).toBe(0);
    expect(well.stdout).toMatch(/^works.*: ready\n/);
    expect(well.stdout).toMatch(/✓ session: .*\n {2}✓ stop: /);
    const dead = await runProgram(["doctor", "dies", "--data-dir", data]);
    expect(dead.code).toBe(1);
    expect(dead.stdout).toMatch(/^dies.*: broken\n/);
    expect(dead.stdout.split("no such model")).toHaveLength(2);
    const missing = await runProgram(["doctor", "missing", "--json", "--data-dir", data]);
    expect(missing.code).toBe(1);
    expect(rowsOf<AgentTestRow>(missing.stdout)).toMatchObject([{ agent_id: "missing", readiness: "not_installed" }]);
  });

  it("checks the machine and tests every installed agent; a list of them works beside a running host too", async () => {
    using folder = new TemporaryFolder();
    const data = configured(folder);
    chmodSync(data, 0o755);
    await using host = await HostProcess.start(data);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    chmodSync(data, 0o755);
    expect((await runProgram(["agents", "--data-dir", host.ready.data_dir])).code).toBe(0);
    const { stdout, code } = await runProgram(["doctor", "--data-dir", data]);
    expect(code).toBe(1);
    expect(stdout).toContain(`Signalbox is running at http://127.0.0.1:${host.ready.port}.`);
    expect(stdout).toContain(`Other users of this machine can read ${data}. Start Signalbox`);
    expect(stdout).toContain("Commands: ");
    expect(stdout).toMatch(/^works.*: ready$/m);
    expect(stdout).toMatch(/^dies.*: broken$/m);
    expect(stdout).not.toContain("missing");
  });

  it("suggests the agent that was meant, also in an editor's settings", async () => {
    const stderr = "There is no agent gemin. Did you mean gemini? `signalbox agents` lists them.\n";
    for (const words of [
      ["doctor", "gemin"],
      ["acp", "--agent", "gemin"],
    ])
      expect(await runProgram(words)).toEqual({ code: 64, stdout: "", stderr });
  });
});
