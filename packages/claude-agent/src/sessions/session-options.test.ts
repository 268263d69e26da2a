// What a session tells Claude Code at its start: modes, models, servers, environment.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isLoggedIn } from "./login.ts";
import { mcpServers } from "./mcp-servers.ts";
import { modelOption } from "./model-option.ts";
import { mayBypass, offeredModes } from "./modes.ts";
import { queryOptions, type SessionFacts } from "./query-options.ts";

const facts: SessionFacts = {
  id: "id",
  cwd: "/work",
  folders: [],
  servers: {},
  tools: { tools: [], names: [], replaced: [], aliases: {} },
  program: "/claude",
  instructions: { user: "", project: "" },
  mode: "default",
  model: null,
  mayBypass: false,
  isStored: false,
  env: { PATH: "/bin", CLAUDECODE: "1" },
  version: "1.2.3",
  canUseTool: async () => ({ behavior: "deny", message: "" }),
  onElicitation: null,
};

describe("a session's start", () => {
  it("gives a new session its id and resumes a stored one", () => {
    expect(queryOptions(facts)).toMatchObject({ sessionId: "id", permissionMode: "default" });
    expect(queryOptions({ ...facts, isStored: true })).toMatchObject({ resume: "id" });
    expect(queryOptions({ ...facts, isStored: true })).not.toHaveProperty("sessionId");
  });

  it("obeys no settings of the folder, and gets the project's instructions as text", () => {
    expect(queryOptions(facts)).toMatchObject({ settingSources: ["user"], pathToClaudeCodeExecutable: "/claude" });
    expect(queryOptions(facts).systemPrompt).toEqual({ type: "preset", preset: "claude_code" });
    const { systemPrompt } = queryOptions({ ...facts, instructions: { user: "", project: "Use tabs." } });
    expect(systemPrompt?.append).toMatch(/^# The project's instructions\nUse tabs\.$/);
  });

  it("takes away what is replaced, and lets skip permissions only where that is allowed", () => {
    const tools = { tools: [], names: ["mcp__acp__Read"], replaced: ["Read"], aliases: { Read: "mcp__acp__Read" } };
    const options = queryOptions({ ...facts, tools });
    expect(options).toMatchObject({ disallowedTools: ["Read"], toolAliases: { Read: "mcp__acp__Read" } });
    // What needs no permission is decided by us, call by call, and not waved through.
    expect(options).not.toHaveProperty("allowedTools");
    expect(options).not.toHaveProperty("allowDangerouslySkipPermissions");
    expect(queryOptions({ ...facts, mayBypass: true })).toMatchObject({ allowDangerouslySkipPermissions: true });
  });

  it("gives git, which Claude Code runs outside the sandbox, no program of the folder's own settings", () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "signalbox-claude-git-"));
    const git = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
      execFileSync("git", ["-C", folder.path, ...args], { env: { ...env, PATH: process.env.PATH }, encoding: "utf8" });
    git({}, "init", "-q");
    git({}, "config", "core.fsmonitor", `touch ${folder.path}/ran #`);
    const own = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "Me" };
    const { env = {} } = queryOptions({ ...facts, env: { ...facts.env, ...own } });
    git(env, "status");
    expect(existsSync(`${folder.path}/ran`)).toBe(false);
    expect(git(env, "config", "user.name")).toBe("Me\n");
    git({}, "status");
    expect(existsSync(`${folder.path}/ran`)).toBe(true);
  });

  it("hands on the user's environment, which wins over our defaults", () => {
    const { env } = queryOptions({ ...facts, env: { ...facts.env, CLAUDE_CODE_ENABLE_TASKS: "1" } });
    expect(env).toMatchObject({ PATH: "/bin", CLAUDE_CODE_ENABLE_TASKS: "1", CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" });
    expect(env?.CLAUDECODE).toBeUndefined();
    expect(env).not.toHaveProperty("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS");
    const tools = { ...facts.tools, replaced: ["Bash"] };
    expect(queryOptions({ ...facts, tools }).env).toMatchObject({ CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" });
  });

  it("hands on the client's MCP servers, but none that calls itself ours", () => {
    const pair = [{ name: "KEY", value: "v" }];
    expect(
      mcpServers([
        { name: "a", command: "node", args: ["x"], env: pair },
        { type: "http", name: "b", url: "https://b", headers: pair },
        { type: "sse", name: "c", url: "https://c", headers: [] },
      ]),
    ).toEqual({
      a: { type: "stdio", command: "node", args: ["x"], env: { KEY: "v" } },
      b: { type: "http", url: "https://b", headers: { KEY: "v" } },
      c: { type: "sse", url: "https://c", headers: {} },
    });
    expect(() => mcpServers([{ name: "acp", command: "x", args: [], env: [] }])).toThrow("another name");
  });
});

describe("modes, models and log-in", () => {
  it("offers to bypass permissions to no one who is root outside a sandbox", () => {
    expect([mayBypass({}, 0), mayBypass({ IS_SANDBOX: "1" }, 0), mayBypass({}, 1000)]).toEqual([false, true, true]);
    expect(offeredModes(false).map(({ id }) => id)).toEqual(["default", "acceptEdits", "plan"]);
    expect(offeredModes(true).map(({ id }) => id)).toContain("bypassPermissions");
  });

  it("shows the chosen model, else the default, and nothing where there are no models", () => {
    const models = ["opus", "default"].map((value) => ({ value, displayName: value, description: "" }));
    expect(modelOption(models, null)).toMatchObject([{ currentValue: "default" }]);
    expect(modelOption(models, "opus")).toMatchObject([{ currentValue: "opus" }]);
    expect(modelOption([], null)).toEqual([]);
  });

  it("knows who is logged in: by token, by key, or with another provider", () => {
    expect(isLoggedIn({ tokenSource: "none", apiProvider: "firstParty" })).toBe(false);
    expect(isLoggedIn({})).toBe(false);
    expect(isLoggedIn({ tokenSource: "none", apiKeySource: "ANTHROPIC_API_KEY" })).toBe(true);
    expect(isLoggedIn({ tokenSource: "claude.ai" })).toBe(true);
    expect(isLoggedIn({ apiProvider: "bedrock" })).toBe(true);
  });
});
