// `signalbox claude` over stdio, with the real Claude Agent SDK and the real Claude Code in it, driven by the official SDK's client, against a scripted model.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { TemporaryFolder } from "../support/host-process.ts";
import { ModelServer } from "../support/model-server/model-server.ts";
import { acp, madeOf, modelRequests, resultsIn, stage, withClaudeSdk } from "./claude-stage.ts";

withClaudeSdk();

describe("Claude Code, its tools through the client", () => {
  it("reads, edits, writes and runs through the client, and tells it in order", async () => {
    const work = new TemporaryFolder();
    const path = work.in("a.txt");
    writeFileSync(path, "one\r\ntwo\r\nthree\r\n");
    const todos = [{ content: "look", status: "in_progress", activeForm: "looking" }];
    const replies = [
      {
        thinking: "I look first.",
        text: "I read it.",
        toolCalls: [acp("Read", { file_path: path, offset: 2, limit: 1 })],
      },
      { text: "I plan.", toolCalls: [{ name: "TodoWrite", input: { todos } }] },
      { text: "I change it.", toolCalls: [acp("Edit", { file_path: path, old_string: "two\n", new_string: "2\n" })] },
      { text: "I add one.", toolCalls: [acp("Write", { file_path: work.in("b.txt"), content: "new\n" })] },
      { text: "I run it.", toolCalls: [acp("Bash", { command: "cat b.txt && pwd" })] },
      { text: "All done." },
    ];
    const model = await ModelServer.start(({ tools, messages }) => {
      if (tools.length === 0) return { text: "A title" };
      return replies[messages.flatMap(({ toolResults = [] }) => toolResults).length] ?? { text: "?" };
    });
    await using on = madeOf(model, work);
    await using client = await on.client();
    const { sessionId } = await client.newSession(work.path);
    expect(await client.prompt(sessionId, "Begin")).toEqual({ stopReason: "end_turn" });

    expect(readFileSync(path, "utf8")).toBe("one\r\n2\r\nthree\r\n");
    expect(readFileSync(work.in("b.txt"), "utf8")).toBe("new\n");
    expect(client.calls).toMatchObject([
      {
        name: "Read",
        kind: "read",
        status: "completed",
        title: "Read `a.txt` (2 - 2)",
        locations: [{ path, line: 2 }],
      },
      { name: "TodoWrite", kind: "think", status: "completed" },
      {
        name: "Edit",
        kind: "edit",
        status: "completed",
        title: "Edit `a.txt`",
        locations: [{ path, line: 2 }],
        content: [{ type: "diff", path, oldText: "one\r\ntwo\r\nthree\r\n", newText: "one\r\n2\r\nthree\r\n" }],
      },
      {
        name: "Write",
        kind: "edit",
        status: "completed",
        content: [{ type: "diff", oldText: null, newText: "new\n" }],
      },
      {
        name: "Bash",
        kind: "execute",
        status: "completed",
        title: "`cat b.txt && pwd`",
        content: [{ type: "terminal" }],
      },
    ]);
    expect(client.ofKind("plan")).toMatchObject([{ entries: [{ content: "look", status: "in_progress" }] }]);
    expect(client.ofKind("usage_update").at(-1)).toMatchObject({ used: 120, cost: { currency: "USD" } });
    expect(client.ofKind("available_commands_update")[0]?.availableCommands.map(({ name }) => name)).toContain(
      "compact",
    );
    expect(resultsIn(on.model)[0]).toBe("2\ttwo\r\n\n[What comes after line 2 was left out. Read on with offset 3.]");
    expect(resultsIn(on.model).at(-1)).toBe(`new\n${work.path}\n`);

    const order = client.updates.flatMap((update) => {
      if (update.sessionUpdate === "agent_thought_chunk") return ["thought"];
      if (update.sessionUpdate === "agent_message_chunk") return ["text"];
      return update.sessionUpdate === "tool_call" ? [update.name] : [];
    });
    const shape = order.filter((each, index) => each !== order[index - 1]);
    expect(shape.join(" ")).toBe("thought text Read text TodoWrite text Edit text Write text Bash text");
    // Reading in the folder needs no permission; every change does.
    expect(client.questions.map(({ toolCall }) => toolCall.name)).toEqual(["Edit", "Write", "Bash"]);
    expect(client.released).toEqual([...client.terminals.keys()]);
    expect(client.stderr).toContain(
      'allowedTools: ["mcp__acp__Read","mcp__acp__Write","mcp__acp__Edit","mcp__acp__Bash","mcp__acp__BashOutput","mcp__acp__KillShell"]',
    );
    expect(modelRequests(on.model)[0]?.tools).not.toEqual(expect.arrayContaining(["Read", "Write", "Edit", "Bash"]));
    expect(await client.leave()).toBe(0);
  });

  it("leaves Claude Code its own tools where the client has none, and shows them alike", async () => {
    await using on = await stage((folder) => ({
      Begin: [
        { name: "Read", input: { file_path: join(folder, "a.txt") } },
        { name: "Edit", input: { file_path: join(folder, "a.txt"), old_string: "two", new_string: "2" } },
        { name: "Bash", input: { command: "echo hello" } },
        "Done.",
      ],
    }));
    const path = on.work.in("a.txt");
    writeFileSync(path, "one\ntwo\n");
    await using client = await on.client({ capabilities: {} });
    const { sessionId } = await client.newSession(on.work.path);
    expect(await client.prompt(sessionId, "Begin")).toEqual({ stopReason: "end_turn" });
    expect(client.stderr).toContain("allowedTools: []");
    expect(client.called.filter((method) => method !== methods.client.session.requestPermission)).toEqual([]);
    expect(readFileSync(path, "utf8")).toBe("one\n2\n");
    expect(client.calls).toMatchObject([
      { name: "Read", kind: "read", status: "completed", title: "Read `a.txt`" },
      {
        name: "Edit",
        kind: "edit",
        status: "completed",
        locations: [{ path, line: 1 }],
        content: [{ type: "diff", oldText: "two", newText: "2" }],
      },
      { name: "Bash", kind: "execute", status: "completed", content: [{ content: { text: "hello" } }] },
    ]);
  });

  it("takes over files only from a client that reads and writes: Claude Code's Edit fails beside a Read of ours", async () => {
    await using on = await stage({ Begin: ["Hello."] });
    await using client = await on.client({ capabilities: { fs: { readTextFile: true, writeTextFile: false } } });
    const { sessionId } = await client.newSession(on.work.path);
    await client.prompt(sessionId, "Begin");
    const tools = modelRequests(on.model)[0]?.tools;
    expect(tools).toEqual(expect.arrayContaining(["Read", "Write", "Edit", "Bash"]));
    expect(client.stderr).toContain("allowedTools: []");
  });

  it("runs commands in the background, tells only what is new, and ends them", async () => {
    const command = "echo first; while [ ! -e go ]; do sleep 0.05; done; echo second; touch went; sleep 60";
    await using on = await stage((folder) => ({
      Begin: [
        acp("Bash", { command, run_in_background: true }),
        acp("Bash", { command: `until [ -e ${folder}/ready ]; do sleep 0.05; done` }),
        acp("BashOutput", { bash_id: "shell_1" }),
        acp("Bash", { command: "touch go; until [ -e went ]; do sleep 0.05; done" }),
        acp("BashOutput", { bash_id: "shell_1" }),
        acp("KillShell", { shell_id: "shell_1" }),
        acp("BashOutput", { bash_id: "shell_1" }),
        "Done.",
      ],
    }));
    await using client = await on.client();
    const { sessionId } = await client.newSession(on.work.path);
    const turn = client.prompt(sessionId, "Begin");
    await expect.poll(() => client.terminals.get("terminal-1")?.output).toBe("first\n");
    writeFileSync(on.work.in("ready"), "");
    expect(await turn).toEqual({ stopReason: "end_turn" });
    const told = resultsIn(on.model);
    expect(told[2]).toBe("shell_1 is running.\nfirst\n");
    expect(told[4]).toBe("shell_1 is running.\nsecond\n");
    expect(told.slice(5)).toEqual(["shell_1 was ended.", "shell_1 has ended. Cancelled\n(no new output)"]);
    expect(client.calls[0]).toMatchObject({ content: [{ type: "terminal", terminalId: "terminal-1" }] });
    expect(client.calls.map(({ status }) => status)).toEqual(Array(7).fill("completed"));
    expect(client.released.toSorted()).toEqual([...client.terminals.keys()].toSorted());
  });

  it("releases what runs in the background when the client leaves", async () => {
    await using on = await stage({ Begin: [acp("Bash", { command: "sleep 60", run_in_background: true }), "Done."] });
    await using client = await on.client();
    const { sessionId } = await client.newSession(on.work.path);
    await client.prompt(sessionId, "Begin");
    expect(client.released).toEqual([]);
    await client.agent.request(methods.agent.session.close, { sessionId });
    expect(client.released).toEqual(["terminal-1"]);
  });

  it("tells sub-agents' calls as theirs, and waits for them", async () => {
    const delegate = { description: "Look around", prompt: "SUBTASK", subagent_type: "general-purpose" };
    await using on = await stage((folder) => ({
      Begin: [{ name: "Agent", input: delegate }, "Main done."],
      SUBTASK: [acp("Read", { file_path: join(folder, "a.txt") }), "Sub report."],
    }));
    writeFileSync(on.work.in("a.txt"), "one\n");
    await using client = await on.client();
    const { sessionId } = await client.newSession(on.work.path);
    expect(await client.prompt(sessionId, "Begin")).toEqual({ stopReason: "end_turn" });
    const [agent, read] = client.calls;
    expect(agent).toMatchObject({ name: "Agent", kind: "think", title: "Look around", status: "completed" });
    expect(read).toMatchObject({
      name: "Read",
      status: "completed",
      _meta: { claudeCode: { parentToolUseId: agent?.toolCallId } },
    });
    expect(client.text).toBe("Main done.");
  });

  it("gives the model images and what was attached, and the client's MCP servers", async () => {
    const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json");
    const args = [join(dirname(everything), "dist/index.js")];
    const server = { name: "everything", command: process.execPath, args, env: [] };
    await using on = await stage({
      Begin: [{ name: "mcp__everything__echo", input: { message: "over MCP" } }, "Done."],
    });
    await using client = await on.client();
    const { sessionId } = await client.newSession(on.work.path, { mcpServers: [server] });
    const data = readFileSync(join(import.meta.dirname, "../../docs/images/start-phone.png")).toString("base64");
    await client.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "Begin" },
        { type: "image", mimeType: "image/png", data },
        { type: "resource", resource: { uri: "file:///n.txt", text: "attached words" } },
        { type: "resource_link", uri: "file:///other.txt", name: "other.txt" },
      ],
    });
    const [request] = modelRequests(on.model);
    const asked = request?.messages.filter(({ role }) => role === "user") ?? [];
    expect(asked.some(({ images }) => images === 1)).toBe(true);
    const words = asked.map(({ text }) => text).join("\n");
    expect(words).toContain("attached words");
    expect(words).toContain("[@other.txt](file:///other.txt)");
    expect(client.calls).toMatchObject([
      {
        name: "mcp__everything__echo",
        title: "everything/echo",
        status: "completed",
        content: [{ content: { text: "Echo: over MCP" } }],
      },
    ]);
    expect(client.questions).toHaveLength(1);
  });

  it("runs slash commands", async () => {
    await using on = await stage({ Begin: ["Hello."] });
    await using client = await on.client();
    const { sessionId } = await client.newSession(on.work.path);
    expect(await client.prompt(sessionId, "/context")).toEqual({ stopReason: "end_turn" });
    expect(client.text).toContain("Context Usage");
  });
});
