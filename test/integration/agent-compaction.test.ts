// Tests compaction and cancel in our agent: a compaction that is cancelled, a server that does not answer, and a compacted session that is loaded.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { AgentClient } from "../support/agent-process.ts";
import { AgentStage } from "../support/agent-stage.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import type { SeenRequest } from "../support/model-server/seen-request.ts";

const isSummary = ({ system }: SeenRequest) => system.startsWith("You keep the notes");

/** A cancel is answered, whatever there was to wait for: here that would never come. The time is for a busy machine. */
async function cancelled(agent: AgentClient, sessionId: string, turn: Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await agent.cancel(sessionId);
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(performance.now() - begun).toBeLessThan(10_000);
}

describe("a cancel", () => {
  it("ends a compaction, and the conversation stays as it was", async () => {
    await using stage = await AgentStage.open((request) =>
      isSummary(request) ? { text: ["In ", "short"], fault: { type: "stall", after: 3 } } : { text: "Ok." },
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
    expect(performance.now() - begun).toBeLessThan(10_000);
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

  it("that is loaded again is as long as it was, also when it was not counted after the compaction", async () => {
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
