// What a session keeps to when something is in its way: a server that does not answer, a cancel at an odd moment, a request that is
// refused, calls that cannot be told apart.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentClient } from "../support/agent-process.ts";
import { AgentStage } from "../support/agent-stage.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import type { SeenRequest } from "../support/model-server/seen-request.ts";

const isSummary = ({ system }: SeenRequest) => system.startsWith("You keep the memory");

/** A cancel is answered within a second, whatever there was to wait for. */
async function cancelled(agent: AgentClient, sessionId: string, turn: Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await agent.cancel(sessionId);
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(performance.now() - begun).toBeLessThan(1000);
}

describe("a cancel", () => {
  it("ends a compaction, and the conversation stays as it was", async () => {
    await using stage = await AgentStage.open((request) =>
      isSummary(request) ? { text: ["In ", "short"], weather: { type: "stall", after: 3 } } : { text: "Ok." },
    );
    for (const name of ["one", "two"]) await stage.prompt(name);
    const turn = stage.prompt("/compact");
    await expect.poll(() => stage.server.requests.length).toBe(3);
    await cancelled(stage.agent, stage.sessionId, turn);
    await stage.prompt("three");
    expect(stage.server.requests.at(-1)?.messages.map(({ text }) => text)).toEqual([
      "one",
      "Ok.",
      "two",
      "Ok.",
      "three",
    ]);
  });

  it("ends the wait for a server that does not even say which models it has; the agent leaves as promptly", async () => {
    using folder = new TemporaryFolder();
    const deaf = createServer(() => {}).listen(0, "127.0.0.1");
    await once(deaf, "listening");
    const { port } = deaf.address() as AddressInfo;
    await using agent = await AgentClient.start({
      home: folder.in("home"),
      flags: ["--provider", "ollama", "--base-url", `http://127.0.0.1:${port}`],
    });
    const { sessionId } = await agent.newSession(folder.path);
    const turn = agent.prompt(sessionId, "Hello?");
    await agent.until(() => agent.ofKind("session_info_update").length > 0);
    await cancelled(agent, sessionId, turn);
    agent.prompt(sessionId, "Hello??").catch(() => {});
    const begun = performance.now();
    expect(await agent.leave()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(2000);
    deaf.closeAllConnections();
    deaf.close();
  });
});

describe("a conversation", () => {
  it("is compacted when the user says so, however short it is", async () => {
    await using stage = await AgentStage.open((request) => ({ text: isSummary(request) ? "In short." : "Ok." }));
    for (const name of ["one", "two", "/compact", "three"]) await stage.prompt(name);
    const { messages = [] } = stage.server.requests.at(-1) ?? {};
    expect(messages).toMatchObject([
      { role: "user", text: expect.stringContaining("In short.") },
      { role: "assistant", text: "Ok." },
      { role: "user", text: "three" },
    ]);
  });

  it("that is loaded again is as long as it was, also when nobody counted it since it was compacted", async () => {
    await using stage = await AgentStage.open((request) => ({ text: isSummary(request) ? "In short." : "Ok." }));
    for (const name of ["one", `two ${"x".repeat(40_000)}`, "/compact"]) await stage.prompt(name);
    const { agent, sessionId, project } = stage;
    const before = agent.ofKind("usage_update").length;
    await agent.agent.request("session/load", { sessionId, cwd: project, mcpServers: [] });
    await agent.until(() => agent.ofKind("usage_update").length > before);
    const { used } = agent.ofKind("usage_update").at(-1) ?? { used: 0 };
    expect(used).toBeGreaterThan(100);
    expect(used).toBeLessThan(10_000);
  });

  it("gets the right result for each call, also from a server that gives all of them the same id", async () => {
    await using stage = await AgentStage.open([
      {
        toolCalls: [
          { name: "read", input: { path: "a.txt" }, id: "call" },
          { name: "read", input: { path: "b.txt" }, id: "call" },
        ],
      },
      { text: "Done." },
    ]);
    await stage.prompt("Read both.");
    expect(stage.results()).toEqual(["alpha\n", "beta\n"]);
  });
});

describe("a rule that forbids", () => {
  const rules = (...permissions: object[]) => ({ config: { permissions } });

  it("holds for where a path leads, and before the file is looked at", async () => {
    const text = "the secret word is heather";
    await using stage = await AgentStage.open(
      [
        {
          toolCalls: [
            { name: "read", input: { path: "link/word.txt" } },
            { name: "edit", input: { path: "secrets/word.txt", old_string: "the secret word is", new_string: "x" } },
            { name: "edit", input: { path: "secrets/word.txt", old_string: "the secret word was", new_string: "x" } },
          ],
        },
        { text: "Done." },
      ],
      rules({ decision: "deny", path: "secrets/**" }),
    );
    mkdirSync(join(stage.project, "secrets"));
    stage.put("secrets/word.txt", text);
    symlinkSync("secrets", join(stage.project, "link"));
    await stage.prompt("What is it?");
    expect(stage.results()).toHaveLength(3);
    for (const result of stage.results())
      expect(result).toContain('a rule forbids it ({"decision":"deny","path":"secrets/**"})');
    expect(JSON.stringify(stage.agent.updates)).not.toContain("heather");
  });

  it("is named whole, with its command", async () => {
    await using stage = await AgentStage.open(
      [{ toolCalls: [{ name: "bash", input: { command: "true; rm a.txt" } }] }, { text: "Done." }],
      rules({ decision: "deny", command: "rm *" }),
    );
    await stage.prompt("Remove it.");
    expect(stage.results()).toEqual([expect.stringContaining('({"decision":"deny","command":"rm *"})')]);
  });
});

describe("a pipe", () => {
  it.each([
    ["AGENTS.md", "runs"],
    [".mcp.json", "runs"],
    [".signalbox/skills/one/SKILL.md", "runs"],
    [".signalbox/config.json", "is refused"],
  ])("in the place of %s keeps nobody waiting: the session %s", async (name, outcome) => {
    using folder = new TemporaryFolder();
    const path = folder.in(`project/${name}`);
    mkdirSync(dirname(path), { recursive: true });
    execFileSync("mkfifo", [path]);
    await using agent = await AgentClient.start({ home: folder.in("home") });
    const opened = agent.newSession(folder.in("project"));
    // A project's config may forbid something: where it cannot be read, nobody knows what.
    if (outcome === "runs") await expect(opened).resolves.toHaveProperty("sessionId");
    else await expect(opened).rejects.toThrow("is not a regular file");
  });
});

describe("a session that runs", () => {
  it("runs on when somebody asks for it in a folder that is not its own", async () => {
    await using stage = await AgentStage.open([
      { text: "word ".repeat(200), weather: { type: "slow", ms: 5 } },
      { text: "Still here." },
    ]);
    const { agent, sessionId, folder } = stage;
    mkdirSync(folder.in("other"));
    const turn = stage.prompt("Talk");
    await agent.until(() => agent.text() !== "");
    const elsewhere = { sessionId, cwd: folder.in("other"), mcpServers: [] };
    await expect(agent.agent.request("session/load", elsewhere)).rejects.toMatchObject({ code: -32_602 });
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(await stage.prompt("Are you there?")).toEqual({ stopReason: "end_turn" });
  });
});
