// `signalbox acp` as an editor runs it: over stdin and stdout, with a host that it finds or starts.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { methods, ndJsonStream, client as sdkClient } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { AcpTestClient, idIn } from "../support/acp-client.ts";
import { askPermission, fakeAgentFile, script } from "../support/fake-agent/script.ts";
import { question, run, submit, turnEnd } from "../support/fake-host.ts";
import { program, root, TemporaryFolder } from "../support/host-process.ts";
import { isRunning } from "../support/processes.ts";
import { isLong } from "../support/rounds.ts";
import { sharedHost } from "../support/shared-host.ts";

const text = (words: string) => [{ type: "text", text: words }];
const quick = { SIGNALBOX_STOP_WHEN_UNUSED_S: "2" };

function dataFolder(folder: TemporaryFolder): string {
  const data = folder.in("data");
  mkdirSync(data);
  mkdirSync(folder.in("project"));
  symlinkSync(fakeAgentFile, folder.in("agent.ts"));
  const fake = { command: process.execPath, args: ["--no-warnings", folder.in("agent.ts")], label: "Fake" };
  writeFileSync(join(data, "config.json"), JSON.stringify({ agents: { fake } }));
  return data;
}

function hostOf(data: string): number {
  return (JSON.parse(readFileSync(join(data, "run/host.json"), "utf8")) as { pid: number }).pid;
}

/** Looks at the process table until the process is gone. */
async function gone(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("signalbox acp", () => {
  it("[R8] starts a host that ends when it is not used, goes on after that host was killed, and prints ACP only", async () => {
    using folder = new TemporaryFolder();
    const data = dataFolder(folder);
    using client = AcpTestClient.start(["--agent", "fake", "--data-dir", data], quick);
    const { agentInfo } = await client.initialize();
    expect(agentInfo).toMatchObject({ name: "signalbox" });
    const sessionId = idIn(await client.ask("session/new", { cwd: folder.in("project"), mcpServers: [] }));
    await client.ask("session/prompt", { sessionId, prompt: text(script({ say: "one " })) });
    const asks = { toolCall: { toolCallId: "t" }, options: [{ optionId: "y", name: "Yes", kind: "allow_once" }] };
    const steps = script({ say: "two " }, { ask: "session/request_permission", params: asks });
    const running = client.request("session/prompt", { sessionId, prompt: text(steps) });
    const asked = await client.waitFor(({ method }) => method === "session/request_permission");
    const first = hostOf(data);
    process.kill(first, "SIGKILL");
    expect((await running).error).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^Signalbox was stopped/),
    });
    const withdrawn = await client.waitFor(({ method }) => method === "$/cancel_request");
    expect(withdrawn.params).toEqual({ requestId: asked.id });
    // The next message starts another host, and the session goes on: nothing twice.
    const result = await client.ask("session/prompt", { sessionId, prompt: text(script({ say: "three" })) });
    expect(result.stopReason).toBe("end_turn");
    expect(client.said(sessionId).replace(/This conversation began.*follows\.\)/s, "")).toBe("one two three");
    const second = hostOf(data);
    expect(second).not.toBe(first);
    // An answer to the question of the first host reaches no question of the second.
    const again = client.ask("session/prompt", { sessionId, prompt: text(steps) });
    const askedAgain = await client.waitFor(({ method, id }) => method === asked.method && id !== asked.id);
    client.answer(asked.id, { outcome: { outcome: "selected", optionId: "y" } });
    client.answer(askedAgain.id, { outcome: { outcome: "cancelled" } });
    await again;
    expect(client.said(sessionId)).toContain('"outcome":"cancelled"');
    // An agent that is gone, and comes back: an error until then, and the thread is as it was.
    await client.ask("session/close", { sessionId });
    rmSync(folder.in("agent.ts"));
    const four = { sessionId, prompt: text(script({ say: "four" })) };
    const { error } = await client.request("session/prompt", four);
    expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/^The agent Fake exited/) });
    symlinkSync(fakeAgentFile, folder.in("agent.ts"));
    expect((await client.ask("session/prompt", four)).stopReason).toBe("end_turn");
    expect(client.said(sessionId).endsWith("four")).toBe(true);
    client.child.stdin.end();
    const [code] = (await once(client.child, "exit")) as [number];
    expect(code).toBe(0);
    await gone(second);
    for (const line of client.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  it("[R4] goes on without a message of the editor when somebody starts the host again", async () => {
    await using host = await sharedHost();
    using client = AcpTestClient.start(["--agent", "fake", "--data-dir", host.process.ready.data_dir]);
    await client.initialize();
    const sessionId = await client.newSession(host.project);
    await client.ask("session/prompt", { sessionId, prompt: text(script({ say: "one " })) });
    await host.restart();
    const screen = await host.screen();
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: sessionId });
    await run(screen, sessionId, { say: "two" });
    await client.waitFor(() => client.said(sessionId).endsWith("two"));
    expect(client.said(sessionId).replace(/This conversation began.*follows\.\)/s, "")).toBe("one two");
  });

  it("goes on with a thread of the running host, whole or the last one, while a screen watches", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, { say: "from the page" });
    const data = host.process.ready.data_dir;
    using client = AcpTestClient.start(["--thread", "last", "--data-dir", data]);
    await client.initialize();
    const { sessionId } = await client.ask("session/new", { cwd: host.project, mcpServers: [] });
    expect(sessionId).toBe(threadId);
    await client.waitFor(() => client.said(threadId) === "from the page");
    await client.ask("session/prompt", { sessionId, prompt: text(script({ say: " from the editor" })) });
    const view = await screen.request({ control: "tvx.query", name: "messages.list", args: { thread_id: threadId } });
    expect(JSON.stringify(view)).toContain(" from the editor");
    expect(hostOf(data)).toBe(host.process.ready.pid);
  });

  it("[R8] ends when its stdin ends: in a turn, right after the first message, and where there was none", async () => {
    await using host = await sharedHost();
    const args = ["--agent", "fake", "--data-dir", host.process.ready.data_dir];
    using inTurn = AcpTestClient.start(args);
    await inTurn.initialize();
    const sessionId = await inTurn.newSession(host.project);
    const prompt = inTurn.request("session/prompt", {
      sessionId,
      prompt: text(script({ say: "begun" }, askPermission("t"))),
    });
    await inTurn.waitFor(() => inTurn.said(sessionId) === "begun");
    using brief = AcpTestClient.start(args);
    using silent = AcpTestClient.start(args);
    const ends = [inTurn, brief, silent].map(({ child }) => once(child, "exit"));
    inTurn.child.stdin.end();
    brief.child.stdin.end(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } })}\n`,
    );
    silent.child.stdin.end();
    expect(await Promise.all(ends)).toEqual([
      [0, null],
      [0, null],
      [0, null],
    ]);
    // What it owes is answered first.
    expect((await prompt).error).toMatchObject({
      code: -32603,
      message: expect.stringContaining("goes on in Signalbox"),
    });
    expect(await brief.waitFor(({ id }) => id === 1)).toMatchObject({ result: { agentInfo: { name: "signalbox" } } });
    const nothing = spawn(process.execPath, [program, "acp", ...args], { stdio: ["ignore", "ignore", "inherit"] });
    expect(await once(nothing, "exit")).toEqual([0, null]);
    // The turn goes on.
    const screen = await host.screen();
    const turns = await screen.request({ control: "tvx.query", name: "turns.list", args: { thread_id: sessionId } });
    expect(turns).toMatchObject({ rows: [{ status: "running" }] });
  });

  // One that is not ours either, as the one below; it costs two seconds of processor time.
  if (isLong)
    it("is driven by acpx, a client that we did not write", async () => {
      await using host = await sharedHost();
      using home = new TemporaryFolder();
      const data = host.process.ready.data_dir;
      const agent = `${process.execPath} ${program} acp --agent demo --data-dir ${data}`;
      writeFileSync(join(host.project, "a.txt"), "alpha\n");
      const words = ["--approve-all", "exec", "read a.txt\nedit a.txt: alpha -> omega\nrun cat a.txt"];
      const args = [join(root, "node_modules/acpx/dist/cli.js"), "--cwd", host.project, "--agent", agent, ...words];
      const env = { ...process.env, HOME: home.path };
      const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 25_000 });
      expect(stdout).toContain("I am the **demo**");
      expect(stdout).toContain("[done] end_turn");
      expect(readFileSync(join(host.project, "a.txt"), "utf8")).toBe("omega\n");
    });

  it("is driven by the client of ACP's own SDK", async () => {
    await using host = await sharedHost();
    const data = host.process.ready.data_dir;
    const args = [program, "acp", "--agent", "fake", "--data-dir", data];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    let said = "";
    const app = sdkClient({ name: "test" }).onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") said += update.content.text;
    });
    const stopReason = await app.connectWith(stream, async (agent) => {
      const { initialize, session } = methods.agent;
      await agent.request(initialize, { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId } = await agent.request(session.new, { cwd: host.project, mcpServers: [] });
      const prompt = [{ type: "text" as const, text: script({ say: "hello " }) }];
      const answer = await agent.request<{ readonly stopReason: string }>(session.prompt, { sessionId, prompt });
      await agent.request(session.load, { sessionId, cwd: host.project, mcpServers: [] });
      return answer.stopReason;
    });
    child.kill();
    expect(stopReason).toBe("end_turn");
    expect(said).toBe("hello hello ");
  });

  it("says in ACP what is wrong with what an editor sends, and lives on", async () => {
    await using host = await sharedHost();
    using client = AcpTestClient.start(["--agent", "fake", "--data-dir", host.process.ready.data_dir]);
    // A wrong token: an error that says what to do. With the right one it goes on.
    const tokenFile = join(host.process.ready.data_dir, "token");
    const token = readFileSync(tokenFile);
    writeFileSync(tokenFile, "wrong");
    const refused = await client
      .request("initialize", { protocolVersion: 1 })
      .finally(() => writeFileSync(tokenFile, token));
    expect(refused.error).toMatchObject({ code: -32603, message: expect.stringContaining("Restart Signalbox.") });
    client.send("junk");
    expect((await client.waitFor(({ id }) => id === null)).error).toMatchObject({ code: -32700 });
    expect((await client.request("session/new", { cwd: "/" })).error).toBeDefined();
    await client.initialize();
    client.send("[]");
    client.send('{"jsonrpc":"2.0"}');
    client.send("x".repeat(65 * 1024 * 1024));
    const isTooLong = ({ error }: { error?: { message: string } }) => error?.message.includes("at most 64 MB") === true;
    expect((await client.waitFor(isTooLong)).error).toMatchObject({ code: -32600 });
    const noSession = /^There is no session none\./;
    const errors: [string, object, number, RegExp?][] = [
      ["session/load", { sessionId: "none", cwd: "/", mcpServers: [] }, -32002, noSession],
      ["session/prompt", { sessionId: "none", prompt: [] }, -32002, noSession],
      ["session/prompt", { sessionId: 5, prompt: "words" }, -32602],
      ["session/new", { cwd: "relative", mcpServers: [] }, -32602],
      ["session/new", { cwd: host.project, mcpServers: [], _meta: { "signalbox/agent": "unknown" } }, -32002],
      ["session/teleport", {}, -32601],
    ];
    for (const [method, params, code, sentence = /\w+ \w+/] of errors) {
      const { error } = await client.request(method, params);
      expect([method, error?.code, error?.message.length ?? 0]).toEqual([method, code, expect.any(Number)]);
      expect(error?.message).toMatch(sentence);
    }
    const sessionId = await client.newSession(host.project);
    const died = await client.request("session/prompt", { sessionId, prompt: text(script({ say: "a" }, { exit: 3 })) });
    expect(died.error).toMatchObject({ code: -32603, message: expect.stringContaining("Fake") });
    const failed = { code: -32050, message: "No more tokens", data: { why: "limit" } };
    const answered = await client.request("session/prompt", { sessionId, prompt: text(script({ fail: failed })) });
    expect(answered.error).toMatchObject({ code: -32050, data: { why: "limit" } });
    const both = ["x", "y"].map((word) =>
      client.ask("session/prompt", { sessionId, prompt: text(script({ say: word })) }),
    );
    expect((await Promise.all(both)).map(({ stopReason }) => stopReason)).toEqual(["end_turn", "end_turn"]);
    expect(client.said(sessionId).endsWith("xy")).toBe(true);
  });

  it("an answer to a question that is over changes nothing", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    using client = AcpTestClient.start(["--agent", "fake", "--data-dir", host.process.ready.data_dir]);
    await client.initialize();
    const sessionId = await client.newSession(host.project);
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: sessionId });
    const path = join(host.project, "new.txt");
    const turn = await submit(screen, sessionId, { ask: "fs/write_text_file", params: { path, content: "x" } });
    const { permission_id } = await question(screen, sessionId);
    const asked = await client.waitFor(({ method }) => method === "session/request_permission");
    await screen.request({
      control: "permission.respond",
      thread_id: sessionId,
      permission_id,
      option_id: "reject_once",
    });
    client.answer(asked.id, { outcome: { outcome: "selected", optionId: "allow_once" } });
    await turnEnd(screen, turn);
    const rows = await screen.request({
      control: "tvx.query",
      name: "permissions.list",
      args: { thread_id: sessionId },
    });
    expect(rows).toMatchObject({ rows: [{ status: "denied" }] });
    expect(() => readFileSync(path)).toThrow();
  });
});
