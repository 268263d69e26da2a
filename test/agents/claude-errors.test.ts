// What can go wrong with the real Claude Code, over stdio: each ends with words that say what to do, and nothing is left running.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { runProgram, TemporaryFolder } from "../support/host-process.ts";
import { ModelServer } from "../support/model-server/model-server.ts";
import { childrenOf, isRunning } from "../support/processes.ts";
import { ClaudeClient } from "./claude-client.ts";
import { ClaudeHome } from "./claude-home.ts";
import { acp, madeOf, modelRequests, resultsIn, stage, withClaudeSdk } from "./claude-stage.ts";

withClaudeSdk();

describe("errors", () => {
  it("says how to install the SDK where it is missing", async () => {
    using home = new ClaudeHome(null, "http://127.0.0.1:1");
    await using client = ClaudeClient.spawn({ env: home.env });
    const asked = client.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
    const install = `npm install --prefix ${home.path}/.signalbox/claude @anthropic-ai/claude-agent-sdk@`;
    await expect(asked).rejects.toMatchObject({ message: expect.stringContaining(install) as string });
    expect(client.stderr).toContain(install);
    expect(await client.leave()).toBe(0);
  });

  it("is listed as not installed until the SDK is there", async () => {
    const listed = async (env: NodeJS.ProcessEnv) => {
      const { stdout } = await runProgram(["agents", "--json"], {
        ...env,
        SIGNALBOX_HOME: `${env.HOME}/.signalbox`,
      });
      const rows = stdout
        .trim()
        .split("\n")
        .flatMap((line) => JSON.parse(line) as object | object[]);
      return rows.find((row) => "id" in row && row.id === "claude");
    };
    using without = new ClaudeHome(null, "http://127.0.0.1:1");
    expect(await listed(without.env)).toMatchObject({
      readiness: "not_installed",
      reason: expect.stringContaining(
        `npm install --prefix ${without.path}/.signalbox/claude --ignore-scripts`,
      ) as string,
    });
    await using on = await stage({});
    expect(await listed(on.home.env)).toMatchObject({ readiness: "ready", reason: null });
  });

  it("says that no one is logged in, with the way to do it", async () => {
    await using on = await stage({ Begin: ["Hello."] }, { ANTHROPIC_API_KEY: "" });
    await using client = await on.client();
    expect(client.initialized?.authMethods).toMatchObject([{ id: "claude-login" }]);
    const asked = client.newSession(on.work.path);
    await expect(asked).rejects.toMatchObject({ code: -32000, message: expect.stringContaining("/login") as string });
    const authenticate = client.agent.request(methods.agent.authenticate, { methodId: "claude-login" });
    await expect(authenticate).rejects.toMatchObject({ code: -32000 });
    await expect.poll(() => childrenOf(client.process.pid ?? 0)).toEqual([]);
  });

  it.each([
    [401, "invalid x-api-key", -32000, "key_refused"],
    [529, "Overloaded", -32603, "overloaded"],
    [429, "Too many requests", -32603, "rate_limited"],
    [400, "prompt is too long: 210000 tokens > 200000 maximum", -32603, "context_full"],
    [400, "Your credit balance is too low to access the Anthropic API.", -32603, "no_credit"],
  ])("tells a model's %i (%s) with what to do, and goes on", async (status, message, code, name) => {
    const work = new TemporaryFolder();
    const model = await ModelServer.start(({ tools, messages }) =>
      tools.length === 0 || messages.some(({ text }) => text.includes("Again"))
        ? { text: "Fine." }
        : { status, message },
    );
    await using on = madeOf(model, work, name === "key_refused" ? {} : { CLAUDE_CODE_MAX_RETRIES: "0" });
    await using client = await on.client();
    const { sessionId } = await client.newSession(work.path);
    await expect(client.prompt(sessionId, "Begin")).rejects.toMatchObject({ code, data: { code: name } });
    expect(client.text).toBe("");
    expect(await client.prompt(sessionId, "Again")).toEqual({ stopReason: "end_turn" });
  });

  it("tells that Claude Code died, ends its calls, and starts it again for the next prompt", async () => {
    await using on = await stage({ Begin: [acp("Bash", { command: "sleep 60" }), "?"], Again: ["Still here."] });
    await using client = await on.client();
    const { sessionId } = await client.newSession(on.work.path);
    const turn = client.prompt(sessionId, "Begin");
    await client.until(() => client.terminals.size === 1);
    const [claude] = childrenOf(client.process.pid ?? 0);
    process.kill(claude ?? 0, "SIGKILL");
    await expect(turn).rejects.toMatchObject({ code: -32603, data: { code: "claude_died" } });
    expect(client.calls).toMatchObject([{ status: "failed" }]);
    await expect.poll(() => client.released).toEqual(["terminal-1"]);
    expect(await client.prompt(sessionId, "Again")).toEqual({ stopReason: "end_turn" });
    expect(
      modelRequests(on.model)
        .at(-1)
        ?.messages.some(({ text }) => text.includes("Begin")),
    ).toBe(true);
  });

  it.each(["stdin end", "SIGTERM", "SIGKILL"] as const)("leaves no Claude Code behind after %s", async (how) => {
    await using on = await stage({ Begin: [acp("Bash", { command: "sleep 60" }), "?"] });
    await using client = await on.client();
    const { sessionId } = await client.newSession(on.work.path);
    client.prompt(sessionId, "Begin").catch(() => {});
    await client.until(() => client.terminals.size === 1);
    const [claude = 0] = childrenOf(client.process.pid ?? 0);
    expect(isRunning(claude)).toBe(true);
    if (how === "stdin end") await client.leave();
    else client.process.kill(how);
    await expect.poll(() => isRunning(claude), { timeout: 10_000 }).toBe(false);
  });

  it("refuses an edit of a file that changed meanwhile", async () => {
    await using on = await stage((folder) => ({
      Begin: [
        acp("Read", { file_path: join(folder, "a.txt") }),
        acp("Edit", { file_path: join(folder, "a.txt"), old_string: "one", new_string: "1" }),
        "Done.",
      ],
    }));
    const path = on.work.in("a.txt");
    writeFileSync(path, "one\ntwo\n");
    await using client = await on.client({
      person: () => {
        writeFileSync(path, "one\ntwo, by the person\n");
        return "allow_once";
      },
    });
    const { sessionId } = await client.newSession(on.work.path);
    await client.prompt(sessionId, "Begin");
    expect(client.calls[1]).toMatchObject({ status: "failed" });
    expect(resultsIn(on.model).at(-1)).toContain("has changed since it was read");
    expect(readFileSync(path, "utf8")).toBe("one\ntwo, by the person\n");
  });
});
