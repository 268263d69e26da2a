// Sessions with a stand-in for Claude Code, for what the real one does only by bad luck.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TestClient } from "../tools/test-client.ts";
import { KeptUpdates } from "../updates/test-updates.ts";
import { type ScriptedConversation, ScriptedSdk } from "./scripted-sdk.ts";
import type { Session } from "./session.ts";
import { Sessions } from "./sessions.ts";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-claude-sessions-")));
let sdk: ScriptedSdk;
let updates: KeptUpdates;
let sessions: Sessions;
let logged: string[];

beforeEach(() => {
  sdk = new ScriptedSdk();
  updates = new KeptUpdates();
  logged = [];
  const testClient = new TestClient();
  sessions = new Sessions({
    sdk,
    client: {
      sessionUpdate: updates.sessionUpdate,
      requestPermission: async () => ({ outcome: { outcome: "cancelled" } }),
    },
    files: () => testClient,
    terminals: () => testClient.clientTerminals,
    claudeProgram: "/claude",
    ownProgram: ["node", "main.js"],
    secretNames: ["MY_ACCESS"],
    sandbox: undefined,
    showsNotices: false,
    elicitations: null,
    mayBypass: false,
    env: { HOME: cwd, SIGNALBOX_HOME: join(cwd, "data"), MY_ACCESS: "a key" },
    version: "0",
    log: (line) => logged.push(line),
  });
});

afterEach(() => vi.useRealTimers());
afterAll(() => rmSync(cwd, { recursive: true }));

const open = async (): Promise<Session> => await sessions.create({ cwd });
const ask = async (session: Session, text = "Hi") => await session.prompt([{ type: "text", text }]);
const claude = (): ScriptedConversation => sdk.conversations.at(-1)!;
/** Resolves when Claude Code has got a prompt. */
const prompted = async (count = 1) => await vi.waitUntil(() => claude().prompts.length === count, { interval: 1 });
const call = (id: string) => ({
  type: "assistant",
  message: { id: "m", content: [{ type: "tool_use", id, name: "Bash", input: {} }] },
});

describe("a prompt", () => {
  it("ends with the result that is its own, and not with another's", async () => {
    const session = await open();
    const turn = ask(session);
    await prompted();
    // A turn that Claude Code began by itself, while this prompt waits.
    claude().send({ type: "result", subtype: "success", queued_turn_count: 1, stop_reason: "max_tokens" });
    claude().send({ type: "result", subtype: "success", user_message_uuid: "another", stop_reason: "max_tokens" });
    claude().finish({ stop_reason: "end_turn" });
    expect(await turn).toBe("end_turn");
  });

  it("waits for the one before it", async () => {
    const session = await open();
    const first = ask(session, "one");
    const second = ask(session, "two");
    await prompted();
    expect(claude().prompts.map(({ message }) => message.content)).toEqual([[{ type: "text", text: "one" }]]);
    claude().finish();
    await first;
    await prompted(2);
    claude().finish();
    expect(await second).toBe("end_turn");
  });

  it("leaves no call open, whatever Claude Code forgets, but those of sub-agents that still work", async () => {
    const session = await open();
    const turn = ask(session);
    await prompted();
    claude().send(call("t"), { ...call("sub"), parent_tool_use_id: "t" });
    claude().finish();
    await turn;
    expect(updates.calls).toMatchObject([
      { toolCallId: "t", status: "failed" },
      { toolCallId: "sub", status: "pending" },
    ]);
    const told = { type: "tool_result", tool_use_id: "sub", content: "done" };
    claude().send({ type: "user", message: { role: "user", content: [told] }, parent_tool_use_id: "t" });
    await vi.waitUntil(() => updates.calls[1]?.status === "completed", { interval: 1 });
  });

  it("that is refused for its key is not tried for minutes", async () => {
    const session = await open();
    const turn = ask(session);
    await prompted();
    const retry = { type: "system", subtype: "api_retry", max_retries: 10, error: "authentication_failed" };
    claude().onInterrupt = () => claude().finish({ subtype: "error_during_execution" });
    claude().send({ ...retry, attempt: 1 }, { ...retry, attempt: 2 });
    await expect(turn).rejects.toMatchObject({ code: "key_refused" });
    expect(claude().interrupts).toBe(1);
  });
});

describe("cancel", () => {
  it("ends the turn as cancelled, whatever Claude Code calls it", async () => {
    const session = await open();
    const turn = ask(session);
    await prompted();
    claude().send(call("t"));
    claude().onInterrupt = () => claude().finish({ subtype: "error_during_execution", errors: ["aborted"] });
    session.cancel();
    session.cancel();
    expect(await turn).toBe("cancelled");
    expect(claude().interrupts).toBe(1);
    expect(updates.calls).toMatchObject([{ status: "failed" }]);
  });

  it("is answered in bounded time by a Claude Code that is deaf, which is then started again", async () => {
    const session = await open();
    vi.useFakeTimers();
    const turn = ask(session);
    await vi.advanceTimersByTimeAsync(1);
    session.cancel();
    await vi.advanceTimersByTimeAsync(5000);
    expect(await turn).toBe("cancelled");
    expect(claude().closed).toBe(true);
    vi.useRealTimers();
    const again = ask(session);
    await vi.waitUntil(() => sdk.conversations.length === 2 && claude().prompts.length === 1, { interval: 1 });
    claude().finish();
    expect(await again).toBe("end_turn");
  });

  it("reaches a prompt that begins only after it", async () => {
    const session = await open();
    const turn = ask(session);
    await prompted();
    session.cancel();
    claude().onInterrupt = () => claude().finish();
    claude().send({ type: "stream_event", event: { type: "message_start", message: { id: "m" } } });
    expect(await turn).toBe("cancelled");
  });

  it("reaches also the prompts that wait", async () => {
    const session = await open();
    const turns = [ask(session, "one"), ask(session, "two")];
    await prompted();
    claude().onInterrupt = () => claude().finish();
    session.cancel();
    expect(await Promise.all(turns)).toEqual(["cancelled", "cancelled"]);
    expect(claude().prompts).toHaveLength(1);
  });

  it("of nothing does nothing", async () => {
    const session = await open();
    session.cancel();
    sdk.onPrompt = (conversation) => conversation.finish();
    expect(await ask(session)).toBe("end_turn");
  });
});

describe("a Claude Code that dies", () => {
  it("fails the turn, ends its calls, and is resumed where it was", async () => {
    const session = await open();
    const turn = ask(session);
    await prompted();
    sdk.stored.add(session.id);
    claude().send(call("t"));
    claude().die(new Error("Claude Code process exited with code 1"));
    await expect(turn).rejects.toMatchObject({
      code: "claude_died",
      message: expect.stringContaining("code 1") as string,
    });
    expect(updates.calls).toMatchObject([{ status: "failed" }]);
    sdk.onPrompt = (conversation) => conversation.finish();
    expect(await ask(session)).toBe("end_turn");
    expect(claude().options).toMatchObject({ resume: session.id });
  });

  it("before it began is an error of the session, and nothing stays", async () => {
    sdk.query = ({ prompt, options = {} }) => {
      const conversation = Object.assign(new ScriptedSdk().query({ prompt, options }) as ScriptedConversation, {
        initializationResult: () => new Promise<never>(() => {}),
      });
      conversation.die(new Error("no such file"));
      return conversation;
    };
    await expect(open()).rejects.toMatchObject({ code: "claude_died" });
  });
});

describe("a session", () => {
  it("says which tools it has, tells its commands, and starts in the mode that asks", async () => {
    const session = await open();
    session.announce();
    expect(logged).toEqual([expect.stringMatching(/^allowedTools: \["mcp__acp__Read",/)]);
    expect(updates.all).toMatchObject([{ availableCommands: [{ name: "compact" }] }]);
    expect(session.modes.currentModeId).toBe("default");
  });

  it("works in a folder that is there", async () => {
    for (const folder of ["relative", "/does/not/exist", import.meta.filename]) {
      await expect(sessions.create({ cwd: folder })).rejects.toMatchObject({ code: "bad_request" });
    }
    expect(sdk.conversations).toEqual([]);
  });

  it("is refused to whom no one knows", async () => {
    sdk.initialization = { ...sdk.initialization, account: { tokenSource: "none", apiProvider: "firstParty" } };
    await expect(open()).rejects.toMatchObject({ code: "not_logged_in" });
    expect(claude().closed).toBe(true);
  });

  it("changes its mode and model when told, and tells when Claude Code changed the mode", async () => {
    const session = await open();
    await session.setMode("plan");
    await session.setModel("opus");
    expect(claude().asked).toEqual(["mode plan", "model opus"]);
    expect(session.configOptions).toMatchObject([{ currentValue: "opus" }]);
    await expect(session.setMode("bypassPermissions")).rejects.toMatchObject({ code: "bad_request" });
    await expect(session.setModel("none")).rejects.toMatchObject({ code: "bad_request" });
    claude().send({ type: "system", subtype: "status", permissionMode: "plan" });
    claude().send({ type: "system", subtype: "status", permissionMode: "acceptEdits" });
    await vi.waitUntil(() => updates.all.length > 0, { interval: 1 });
    expect(updates.all).toEqual([{ sessionUpdate: "current_mode_update", currentModeId: "acceptEdits" }]);
  });

  it("that is closed is over: its prompt, its process, its name", async () => {
    const session = await open();
    const turn = ask(session);
    await prompted();
    await sessions.close(session.id);
    expect(await turn).toBe("cancelled");
    expect(claude().closed).toBe(true);
    expect(() => sessions.get(session.id)).toThrow();
  });

  it("is resumed only where Claude Code has it, and never by a path", async () => {
    const id = crypto.randomUUID();
    const place = { cwd };
    await expect(sessions.restore(id, place, { replay: false })).rejects.toMatchObject({ code: "session_not_found" });
    sdk.stored.add(id).add("../../etc/passwd");
    await expect(sessions.restore("../../etc/passwd", place, { replay: false })).rejects.toMatchObject({
      code: "session_not_found",
    });
    await sessions.delete("../../etc/passwd");
    expect(sdk.stored.has("../../etc/passwd")).toBe(true);
    expect((await sessions.restore(id, place, { replay: true })).id).toBe(id);
    expect(claude().options).toMatchObject({ resume: id });
    await sessions.delete(id);
    expect(sdk.stored.has(id)).toBe(false);
  });
});

describe("the folder of a session", () => {
  const put = (name: string, content: unknown) =>
    writeFileSync(join(cwd, name), typeof content === "string" ? content : JSON.stringify(content));

  it("gives Claude Code its instructions as text, and its servers as programs in the sandbox", async () => {
    put("CLAUDE.md", "Use tabs.");
    put(".claude.json", { mcpServers: { mine: {} }, projects: { [cwd]: { mcpServers: { alsoMine: {} } } } });
    const server = { command: "serve", args: ["${MY_ACCESS:-none}"], env: { A: "b" } };
    const mcpServers = { tool: server, acp: server, mine: server, alsoMine: server, far: { url: "https://x.example" } };
    put(".mcp.json", { mcpServers });
    await open();
    const { settingSources, systemPrompt, mcpServers: given = {} } = claude().options;
    expect(settingSources).toEqual(["user"]);
    expect(systemPrompt?.append).toContain("Use tabs.");
    expect(Object.keys(given)).toEqual(["tool", "acp"]);
    expect(given.acp).toMatchObject({ type: "sdk" });
    expect(given.tool).toMatchObject({ command: "node", args: ["main.js", "claude", "--project-server"] });
    const { env = {} } = given.tool as { env?: Record<string, string> };
    expect(JSON.parse(env.SIGNALBOX_PROJECT_SERVER ?? "")).toEqual({
      command: "serve",
      args: ["none"],
      env: { A: "b" },
      cwd,
      folders: [cwd],
      dataFolder: join(cwd, "data"),
      mode: "sandbox",
      network: false,
      secretNames: ["MY_ACCESS"],
    });
    expect(logged.filter((line) => line.includes("of the project is not used"))).toHaveLength(4);
  });
});

it("instructs a session that is resumed with the files that counted when it began", async () => {
  const write = (text: string) => writeFileSync(join(cwd, "CLAUDE.md"), text);
  write("Use tabs.");
  const { id } = await open();
  write("Evil.");
  sdk.stored.add(id);
  await sessions.restore(id, { cwd }, { replay: false });
  expect(claude().options.systemPrompt?.append).toMatch(/Use tabs\.$/);
  await open();
  expect(claude().options.systemPrompt?.append).toMatch(/Evil\.$/);
});

describe("the list of sessions", () => {
  it("comes in pages", async () => {
    sdk.listSessions = async ({ limit = 0, offset = 0 }: { limit?: number; offset?: number } = {}) =>
      Array.from({ length: Math.min(limit, 60 - offset) }, (_, index) => ({
        sessionId: String(offset + index),
        summary: "Said",
        lastModified: 0,
        cwd: "/work",
      }));
    const first = await sessions.list(null, null);
    const second = await sessions.list(null, first.nextCursor ?? null);
    expect([first.sessions.length, second.sessions.length, second.nextCursor]).toEqual([50, 10, undefined]);
    await expect(sessions.list(null, "x")).rejects.toMatchObject({ code: "bad_request" });
  });
});
