// Sessions of the real Claude Code over stdio: listed, replayed, resumed in another process, cancelled.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { TemporaryFolder } from "../support/host-process.ts";
import { ModelServer } from "../support/model-server/model-server.ts";
import { isRunning } from "../support/processes.ts";
import { acp, madeOf, modelRequests, stage, withClaudeSdk } from "./claude-stage.ts";

withClaudeSdk();

describe("sessions", () => {
  it("are listed, replayed, resumed and deleted in another process", async () => {
    await using on = await stage((folder) => ({
      Begin: [acp("Read", { file_path: join(folder, "a.txt") }), "I have read it."],
      Again: ["Still here."],
    }));
    writeFileSync(on.work.in("a.txt"), "one\n");
    await using first = await on.client();
    const { sessionId } = await first.newSession(on.work.path);
    await first.prompt(sessionId, "Begin");
    expect(await first.leave()).toBe(0);

    await using client = await on.client();
    const here = { cwd: on.work.path, mcpServers: [] };
    const { sessions } = await client.agent.request(methods.agent.session.list, { cwd: on.work.path });
    expect(sessions).toMatchObject([{ sessionId, cwd: on.work.path, title: "Begin" }]);
    const loaded = await client.agent.request(methods.agent.session.load, { sessionId, ...here });
    expect(loaded.modes?.currentModeId).toBe("default");
    const told = client.updates.filter(
      ({ sessionUpdate }) => !["available_commands_update", "tool_call_update"].includes(sessionUpdate),
    );
    expect(told).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "Begin" } },
      { sessionUpdate: "tool_call", name: "Read" },
      { sessionUpdate: "agent_message_chunk", content: { text: "I have read it." } },
    ]);
    expect(client.calls).toMatchObject([{ title: "Read `a.txt`", status: "completed" }]);
    expect(await client.prompt(sessionId, "Again")).toEqual({ stopReason: "end_turn" });
    expect(
      modelRequests(on.model)
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join("\n"),
    ).toContain("I have read it.");

    await using third = await on.client();
    await third.agent.request(methods.agent.session.resume, { sessionId, ...here });
    expect(third.ofKind("agent_message_chunk")).toEqual([]);
    expect(await third.prompt(sessionId, "Again")).toEqual({ stopReason: "end_turn" });
    await third.agent.request(methods.agent.session.delete, { sessionId });
    expect((await third.agent.request(methods.agent.session.list, { cwd: on.work.path })).sessions).toEqual([]);
    await expect(third.agent.request(methods.agent.session.load, { sessionId, ...here })).rejects.toMatchObject({
      code: -32002,
    });
    await expect(third.prompt("unknown", "Begin")).rejects.toMatchObject({ code: -32002 });
  });

  it("are cancelled in the middle of a command, which ends, and go on", async () => {
    await using on = await stage({
      Begin: [acp("Bash", { command: "echo on; sleep 60" }), "?"],
      Again: ["Still here."],
    });
    await using client = await on.client();
    const { sessionId } = await client.newSession(on.work.path);
    const turn = client.prompt(sessionId, "Begin");
    await client.until(() => client.terminals.size === 1);
    const pid = client.terminals.get("terminal-1")?.child.pid ?? 0;
    await client.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(client.calls).toMatchObject([{ status: "failed" }]);
    await expect.poll(() => client.released).toEqual(["terminal-1"]);
    expect(isRunning(pid)).toBe(false);
    expect(await client.prompt(sessionId, "Again")).toEqual({ stopReason: "end_turn" });
    expect(client.text).toBe("Still here.");
  });

  it("are cancelled while a question waits, and while the model speaks", async () => {
    const work = new TemporaryFolder();
    const model = await ModelServer.start(({ tools, messages }) => {
      if (tools.length === 0) return { text: "A title" };
      if (messages.at(-1)?.text.includes("Talk") !== true) return { toolCalls: [acp("Bash", { command: "touch no" })] };
      return { text: "one two three four five", fault: { type: "stall", after: 6 } };
    });
    await using on = madeOf(model, work);
    await using client = await on.client({ person: () => null });
    const { sessionId } = await client.newSession(work.path);
    const asking = client.prompt(sessionId, "Begin");
    await client.until(() => client.questions.length === 1);
    await client.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await asking).toEqual({ stopReason: "cancelled" });
    expect(client.calls).toMatchObject([{ status: "failed" }]);
    const talking = client.prompt(sessionId, "Talk");
    await client.until(() => client.text !== "");
    await client.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await talking).toEqual({ stopReason: "cancelled" });
    expect(existsSync(work.in("no"))).toBe(false);
  });
});
