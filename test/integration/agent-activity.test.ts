// Why does it hang? What the host tells of a starting and of a running agent, and how a mute one ends.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { AgentActivityRow } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { FakeHost, question, run, said, submit } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

async function activityOf(screen: TestScreen, threadId: string): Promise<AgentActivityRow | undefined> {
  return (await screen.query("agents.activity", { thread_id: threadId })).rows[0];
}

describe("a running agent", () => {
  it("shows what it prints, the tools that it names, and the requests that are open; its log is private", async () => {
    await using host = await sharedHost({
      agentArgs: ["--initialize", JSON.stringify({ agentInfo: { name: "fake", version: "7" } })],
    });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const { token } = host.process.ready;
    await run(
      screen,
      threadId,
      { log: `a line with ${token}` },
      { log: 'allowedTools: ["read","mcp__x__y"]' },
      {
        log: 'mcpServers: [{"name":"x","status":"running","tools":1,"restart":"/restart x"},{"name":"z","status":"failed","problem":"gone"}]',
      },
    );
    await expect
      .poll(() => activityOf(screen, threadId))
      .toMatchObject({
        label: "Fake",
        agent_name: "fake",
        agent_version: "7",
        step: null,
        tools: ["read", "mcp__x__y"],
        mcp_servers: [
          { name: "x", status: "running", tools: 1, restart: "/restart x", log_in: null, starting_since: null },
          { name: "z", status: "failed", problem: "gone", restart: null },
        ],
        requests: [],
      });
    await submit(screen, threadId, { ask: "terminal/create", params: { command: "make" } });
    await question(screen, threadId);
    const row = await activityOf(screen, threadId);
    expect(row?.requests).toMatchObject([
      { direction: "to_agent", method: "session/prompt" },
      { direction: "from_agent", method: "terminal/create", subject: "make" },
    ]);
    expect(row?.output).toContain("a line with");
    const file = join(host.process.ready.data_dir, "logs", "fake.log");
    expect(row?.log_file).toBe(file);
    // Lines are written together, a moment after they came.
    await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/ a line with \*\*\*\n/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await screen.request({ control: "session.close", thread_id: threadId });
    expect(await activityOf(screen, threadId)).toBeUndefined();
  });
});

describe("an agent that never answers", () => {
  it("is stopped after the limit, with a sentence, and leaves no thread", async () => {
    const mute = { command: "sleep", args: ["1000"], label: "Mute" };
    await using host = await FakeHost.start({ config: { agents: { mute }, agent_start_s: 1 } });
    const screen = await host.screen();
    await screen.request({ control: "tvx.subscribe", stream: "threads" });
    const answer = await screen.request({ control: "session.create", agent_id: "mute", cwd: host.project });
    expect(answer).toMatchObject({
      type: "tinyvex.error",
      code: "agent_failed",
      message: expect.stringMatching(
        /^Mute did not answer initialize within 1 s, so it was stopped\..*It printed nothing\.$/,
      ),
    });
    const threads = await screen.request({ control: "tvx.query", name: "threads.list", args: {} });
    expect(threads).toMatchObject({ rows: [] });
    expect(await screen.request({ control: "session.wait", thread_id: "none" })).toMatchObject({ code: "conflict" });
    const states = screen.received.flatMap((message) =>
      message.type === "tinyvex.update" && message.stream === "threads" && "row" in message
        ? [message.row.starting]
        : [],
    );
    expect(states[0]).toBe(true);
    expect(states.at(-1)).toBe(false);
  });
});

describe("an agent with a command line of the user's own", () => {
  const read = { ask: "fs/read_text_file", params: { path: "" } };

  it("can create files like the agent that it says it is", async () => {
    await using host = await sharedHost({
      agentArgs: ["--initialize", JSON.stringify({ agentInfo: { name: "gemini-cli", version: "1" } })],
    });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, { ...read, params: { path: join(host.project, "missing.txt") } });
    expect(said(screen, threadId)).toContain('{"result":{"content":""}}');
  });

  it("reads a missing file as its quirks in the config say, else as not found", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, { ...read, params: { path: join(host.project, "missing.txt") } });
    expect(said(screen, threadId)).toContain('"code":-32002');
  });
});
