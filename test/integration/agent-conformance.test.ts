// What any ACP client may rely on, also one that sends nonsense. Over stdio, against the built program.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AgentClient, RawClient } from "../support/agent-process.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import { childrenOf, isRunning } from "../support/processes.ts";

const unknownSession = "3e23bfe2-457b-4d60-a2cb-bff4d0095397";

describe("initialize", () => {
  it.each([0, 1, 2, 99])("answers version %i with the one it speaks", async (protocolVersion) => {
    using folder = new TemporaryFolder();
    await using agent = new RawClient({ home: folder.in("home") });
    expect(await agent.request("initialize", { protocolVersion, clientCapabilities: {} })).toMatchObject({
      result: { protocolVersion: 1, agentInfo: { name: "signalbox" }, agentCapabilities: { loadSession: true } },
    });
  });

  it("refuses what is wrong, and can be asked again", async () => {
    using folder = new TemporaryFolder();
    await using agent = new RawClient({ home: folder.in("home") });
    const wrong = [
      undefined,
      {},
      { protocolVersion: "1" },
      { protocolVersion: -1 },
      { protocolVersion: 1, clientCapabilities: 7 },
    ];
    for (const [index, params] of wrong.entries()) {
      const answer = await agent.request("initialize", params, index);
      expect({ params, answer }).toMatchObject({ params, answer: { error: { code: -32_602 } } });
    }
    expect(await agent.initialize()).toHaveProperty("result");
  });

  it("comes before everything else", async () => {
    using folder = new TemporaryFolder();
    await using agent = new RawClient({ home: folder.in("home") });
    const asked = await agent.request("session/new", { cwd: folder.path, mcpServers: [] });
    expect(asked).toMatchObject({ error: { code: -32_600 } });
    await agent.initialize();
    const again = await agent.request("session/new", { cwd: folder.path, mcpServers: [] });
    expect(again).toHaveProperty("result.sessionId");
  });
});

describe("a client that does not keep to the protocol", () => {
  it("is told what is wrong, and the connection lives", async () => {
    using folder = new TemporaryFolder();
    await using agent = new RawClient({ home: folder.in("home") });
    await agent.initialize();
    agent.write("this is not JSON\n");
    await agent.message(({ error }) => (error as { code?: number } | undefined)?.code === -32_700);
    for (const line of ["[]", "7", '"text"', "null", '{"id":1}', '{"jsonrpc":"2.0"}']) agent.write(`${line}\n`);
    agent.write("\n\r\n   \n");
    expect(await agent.request("no/such_method", {})).toMatchObject({ error: { code: -32_601 } });
    expect(await agent.request("_vendor/anything", { a: 1 })).toMatchObject({ error: { code: -32_601 } });
    agent.send({ method: "_vendor/notification", params: {} });
    agent.send({ method: "no/such_notification" });
    agent.send({ id: 4711, result: {} });
    expect(await agent.request("session/new", { mcpServers: [] })).toMatchObject({ error: { code: -32_602 } });
    expect(await agent.request("session/new", { cwd: "relative", mcpServers: [] })).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining("relative") },
    });
    expect(await agent.request("session/new", { cwd: folder.in("nowhere"), mcpServers: [] })).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining("nowhere") },
    });
    expect(await agent.request("session/new", { cwd: folder.path, mcpServers: [] })).toHaveProperty("result.sessionId");
  });

  it("may split its lines anywhere and send several together", async () => {
    using folder = new TemporaryFolder();
    await using agent = new RawClient({ home: folder.in("home") });
    const lines = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } },
      { jsonrpc: "2.0", id: 2, method: "session/list", params: { _meta: { note: "Grüße 🚂" } } },
    ];
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\r\n`).join(""));
    for (let at = 0; at < bytes.length; at += 9) {
      agent.process.stdin.write(bytes.subarray(at, at + 9));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await agent.message(({ id }) => id === 2)).toMatchObject({ result: { sessions: [] } });
  });

  it("hears of a session that is not there, whatever it asks of it", async () => {
    using folder = new TemporaryFolder();
    await using agent = new RawClient({ home: folder.in("home") });
    await agent.initialize();
    const requests: [string, object][] = [
      ["session/prompt", { prompt: [{ type: "text", text: "hi" }] }],
      ["session/load", { cwd: "/", mcpServers: [] }],
      ["session/resume", { cwd: "/", mcpServers: [] }],
      ["session/close", {}],
      ["session/delete", {}],
      ["session/set_mode", { modeId: "plan" }],
      ["session/set_config_option", { configId: "thinking", value: "high" }],
    ];
    for (const [method, params] of requests) {
      const answers = {
        unknown: await agent.request(method, { ...params, sessionId: unknownSession }),
        path: await agent.request(method, { ...params, sessionId: "../../etc/passwd" }),
        none: await agent.request(method, params),
      };
      expect({ method, ...answers }).toMatchObject({
        method,
        unknown: { error: { code: -32_002, data: { sessionId: unknownSession } } },
        path: { error: { code: -32_002 } },
        none: { error: { code: -32_602 } },
      });
    }
  });

  it("gets no answer to a cancel, only to the prompt that it ends", async () => {
    using folder = new TemporaryFolder();
    await using agent = new RawClient({ home: folder.in("home") });
    await agent.initialize();
    const created = await agent.request("session/new", { cwd: folder.path, mcpServers: [] });
    const { sessionId } = created.result as { sessionId: string };
    agent.send({ id: 77, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: "hello" }] } });
    await agent.message(({ params }) => JSON.stringify(params)?.includes("agent_message_chunk"));
    agent.send({ method: "session/cancel", params: { sessionId } });
    agent.send({ method: "session/cancel", params: { sessionId: unknownSession } });
    expect(await agent.message(({ id }) => id === 77)).toMatchObject({ result: { stopReason: "cancelled" } });
    const answers = agent.messages.filter((message) => "id" in message).map(({ id }) => id);
    expect(answers.filter((id) => id === null)).toEqual([]);
    expect(await agent.request("session/list", {})).toHaveProperty("result");
  });

  it("may withdraw a prompt with the protocol's own cancel", async () => {
    using folder = new TemporaryFolder();
    await using agent = new RawClient({ home: folder.in("home") });
    await agent.initialize();
    const created = await agent.request("session/new", { cwd: folder.path, mcpServers: [] });
    const { sessionId } = created.result as { sessionId: string };
    agent.send({ id: 5, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: "hello" }] } });
    await agent.message(({ params }) => JSON.stringify(params)?.includes("agent_message_chunk"));
    agent.send({ method: "$/cancel_request", params: { requestId: 5 } });
    expect(await agent.message(({ id }) => id === 5)).toMatchObject({ result: { stopReason: "cancelled" } });
  });
});

describe("what the agent asks of its client", () => {
  const script = ["read a.txt", "write b.txt: new", "run true"].join("\n");

  it("is nothing that was not advertised", async () => {
    using folder = new TemporaryFolder();
    writeFileSync(folder.in("a.txt"), "on disk");
    await using agent = await AgentClient.start({ home: folder.in("home") });
    const { sessionId } = await agent.newSession(folder.path);
    expect(await agent.prompt(sessionId, script)).toEqual({ stopReason: "end_turn" });
    expect(new Set(agent.called)).toEqual(new Set(["session/request_permission"]));
    expect(agent.ofKind("notice")).toEqual([]);
  });

  it("is the file as the editor has it, where the client serves files", async () => {
    using folder = new TemporaryFolder();
    writeFileSync(folder.in("a.txt"), "on disk");
    await using agent = await AgentClient.start({
      home: folder.in("home"),
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      files: new Map([[folder.in("a.txt"), "in the editor, not saved"]]),
    });
    const { sessionId } = await agent.newSession(folder.path);
    await agent.prompt(sessionId, script);
    expect(JSON.stringify(agent.ofKind("tool_call_update"))).toContain("in the editor, not saved");
    expect(agent.written.get(folder.in("b.txt"))).toBe("new\n");
    expect(agent.called).not.toContain("terminal/create");
  });

  it("passes on the _meta of a prompt", async () => {
    using folder = new TemporaryFolder();
    await using agent = await AgentClient.start({ home: folder.in("home") });
    const { sessionId } = await agent.newSession(folder.path);
    const prompt = [{ type: "text" as const, text: "/help", _meta: { of: "the block" } }];
    const answer = await agent.agent.request("session/prompt", { sessionId, prompt, _meta: { traceparent: "00-abc" } });
    expect(answer).toEqual({ stopReason: "end_turn", _meta: { traceparent: "00-abc" } });
    await agent.agent.request("session/load", { sessionId, cwd: folder.path, mcpServers: [] });
    expect(agent.ofKind("user_message_chunk")).toMatchObject([
      { content: { text: "/help", _meta: { of: "the block" } } },
    ]);
  });
});

describe("the end", () => {
  it("comes promptly when stdin ends, before and after initialize", async () => {
    using folder = new TemporaryFolder();
    await using early = new RawClient({ home: folder.in("home") });
    const gone = once(early.process, "exit");
    early.process.stdin.end();
    expect(await gone).toEqual([0, null]);
    await using agent = await AgentClient.start({ home: folder.in("home") });
    await agent.newSession(folder.path);
    const begun = performance.now();
    expect(await agent.leave()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it.each(["stdin", "SIGTERM"] as const)(
    "comes promptly in the middle of a turn, by %s, and takes every process along",
    async (how) => {
      using folder = new TemporaryFolder();
      await using agent = await AgentClient.start({ home: folder.in("home") });
      const { sessionId } = await agent.newSession(folder.path);
      agent.prompt(sessionId, "run echo begun; sleep 600").catch(() => {});
      await agent.until(() =>
        agent.ofKind("tool_call_update").some(({ content }) => JSON.stringify(content)?.includes("begun")),
      );
      const children = childrenOf(agent.process.pid ?? 0);
      expect(children.length).toBeGreaterThan(0);
      const begun = performance.now();
      const exit = once(agent.process, "exit");
      if (how === "stdin") agent.process.stdin.end();
      else agent.process.kill("SIGTERM");
      expect(await exit).toEqual([0, null]);
      expect(performance.now() - begun).toBeLessThan(10_000);
      await expect.poll(() => children.filter(isRunning)).toEqual([]);
    },
  );
});
