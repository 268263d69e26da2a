import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ThreadSummaryRow } from "@signalbox/protocol";
import { openRegister, type Register } from "@signalbox/tinyvex";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { HistoryReader } from "./history-reader.ts";
import { type ImportOptions, importHistories } from "./import-histories.ts";

let home: string;
let register: Register;
const reader = new HistoryReader();
afterAll(() => reader.close());
const open = () => openRegister({ path: join(home, "signalbox.db") });
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "signalbox-import-"));
  register = await open();
});
afterEach(async () => {
  await register.close();
  rmSync(home, { recursive: true, force: true });
});

const claudeFile = (session: string) => join(home, ".claude/projects/-work", `${session}.jsonl`);
const lines = (...objects: readonly object[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join("");
const user = (text: string, minute: number) => ({
  type: "user",
  cwd: "/work",
  timestamp: new Date(Date.UTC(2026, 0, 2, 10, minute)).toISOString(),
  message: { role: "user", content: text },
});
const answer = (text: string, minute: number) => ({
  type: "assistant",
  timestamp: new Date(Date.UTC(2026, 0, 2, 10, minute)).toISOString(),
  message: { id: `m${minute}`, content: [{ type: "text", text }] },
});

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Measures the longest time for which this thread worked without a pause, in ms of its processor time. */
class LongestTurn {
  #longest = 0;
  #last = process.threadCpuUsage();
  readonly #timer = setInterval(() => this.#measure(), 1);

  stop(): number {
    clearInterval(this.#timer);
    this.#measure();
    return this.#longest;
  }

  #measure(): void {
    const { user: userTime, system } = process.threadCpuUsage(this.#last);
    this.#last = process.threadCpuUsage();
    this.#longest = Math.max(this.#longest, (userTime + system) / 1000);
  }
}

const run = (options: Partial<ImportOptions> = {}) =>
  importHistories({ source: "claude", register, home, env: {}, agentId: "claude", reader, ...options });

async function threads(): Promise<readonly ThreadSummaryRow[]> {
  return (await register.query("threads.list", {})).rows;
}

async function onlyThread(): Promise<ThreadSummaryRow> {
  const [thread, ...more] = await threads();
  if (thread === undefined || more.length > 0) throw new Error(`${more.length} threads too many, or none`);
  return thread;
}

async function said(threadId: string): Promise<readonly string[]> {
  const { rows } = await register.query("timeline.list", { thread_id: threadId });
  return rows.map((each) => (each.type === "message" ? `${each.role}: ${each.text}` : each.title));
}

describe("importing histories", () => {
  it("makes a thread of each session, with its folder, title, agent, session and times", async () => {
    write(
      claudeFile("s1"),
      lines({ type: "summary", summary: "A fine day", leafUuid: "x" }, user("Hello", 1), answer("Hi.", 2)),
    );
    write(claudeFile("s2"), lines(user("Another", 30)));
    write(claudeFile("agent-1"), lines(user("A subagent's", 3)));
    write(claudeFile("s3"), lines({ type: "summary", summary: "Nothing in it" }));
    const messages: string[] = [];
    const result = await run({
      onProgress: ({ done, total, message }) => messages.push(`${done}/${total} ${message}`),
    });
    expect(result).toEqual({ imported: 2, continued: 0, unchanged: 0, skipped: 1, failed: [] });
    expect(messages.at(0)).toMatch(/^0\/3 .*\.jsonl$/);
    expect(messages.at(-1)).toBe("3/3 2 sessions imported, 0 went on, 0 were there already, 1 passed over.");
    const [later, earlier] = await threads();
    expect(later).toMatchObject({ title: "Another", session_id: "s2" });
    expect(earlier).toMatchObject({
      title: "A fine day",
      agent_id: "claude",
      session_id: "s1",
      cwd: "/work",
      status: "idle",
      created_at: Date.UTC(2026, 0, 2, 10, 1),
      updated_at: Date.UTC(2026, 0, 2, 10, 2),
    });
    expect(await said(earlier?.id ?? "")).toEqual(["user: Hello", "assistant: Hi."]);
    const { rows } = await register.query("turns.list", { thread_id: earlier?.id ?? "" });
    expect(rows).toMatchObject([
      { status: "ended", started_at: Date.UTC(2026, 0, 2, 10, 1), ended_at: Date.UTC(2026, 0, 2, 10, 2) },
    ]);
  });

  it("does nothing the second time, and adds only what is new to a session that went on", async () => {
    write(claudeFile("s1"), lines(user("One", 1), answer("Yes.", 2)));
    await run();
    const { id, last_seq } = await onlyThread();
    expect(await run()).toMatchObject({ imported: 0, continued: 0, unchanged: 1 });
    expect((await onlyThread()).last_seq).toBe(last_seq);
    // Renaming it is no reason to import it again.
    await register.updateThread(id, { title: "Mine" });
    appendFileSync(claudeFile("s1"), `${lines(answer("And more.", 3), user("Two", 4))}{"half`);
    expect(await run()).toMatchObject({ imported: 0, continued: 1 });
    appendFileSync(claudeFile("s1"), lines(answer("Last.", 5)).replace("{", '": 1}\n{'));
    expect(await run()).toMatchObject({ continued: 1 });
    expect(await run()).toMatchObject({ unchanged: 1 });
    expect((await onlyThread()).title).toBe("Mine");
    expect(await said(id)).toEqual([
      "user: One",
      "assistant: Yes.",
      "assistant: And more.",
      "user: Two",
      "assistant: Last.",
    ]);
  });

  it("goes on after it was interrupted anywhere, to the same end", async () => {
    const story = Array.from({ length: 300 }, (_, index) => [
      user(`Q${index}`, index),
      answer(`A${index}`, index),
    ]).flat();
    write(claudeFile("s1"), lines(...story));
    const cancel = new AbortController();
    const settled = register.settled.bind(register);
    let windows = 0;
    register.settled = async (threadId) => {
      await settled(threadId);
      if (++windows === 2) cancel.abort(new Error("enough"));
    };
    await expect(run({ signal: cancel.signal })).rejects.toThrow("enough");
    await register.close();
    register = await open();
    expect((await onlyThread()).message_count).toBeLessThan(600);
    expect(await run()).toMatchObject({ imported: 1 });
    const thread = await onlyThread();
    expect(thread).toMatchObject({ message_count: 600, status: "idle" });
    expect(await run()).toMatchObject({ unchanged: 1 });
  });

  it("uses a thread that was made and got nothing before the end came", async () => {
    write(claudeFile("s1"), lines(user("One", 1)));
    await register.createThread({ agent_id: "claude", cwd: "/work", title: "One" });
    expect(await run()).toMatchObject({ imported: 1 });
    await onlyThread();
  });

  it("leaves alone what Signalbox itself ran or went on with", async () => {
    write(claudeFile("s1"), lines(user("One", 1)));
    write(claudeFile("s2"), lines(user("Two", 1)));
    const own = await register.createThread({ agent_id: "claude", cwd: "/work", title: "Own" });
    register.append(own.id, { type: "fact", fact: { type: "session_started", session_id: "s1" } });
    await register.settled(own.id);
    expect(await run()).toMatchObject({ imported: 1, skipped: 1 });
    const imported = (await threads()).find(({ session_id }) => session_id === "s2");
    const turn = { turn_id: "turn-1", prompt_id: "p" };
    register.append(imported?.id ?? "", {
      type: "fact",
      fact: { type: "turn_queued", ...turn, prompt: [{ type: "text", text: "Here" }] },
    });
    await register.settled(imported?.id ?? "");
    appendFileSync(claudeFile("s2"), lines(user("Here", 2)));
    expect(await run()).toMatchObject({ imported: 0, continued: 0, skipped: 2 });
  });

  it("takes two files of the same session once, and looks where the environment says", async () => {
    write(join(home, "elsewhere/projects/-a/s1.jsonl"), lines(user("One", 1)));
    write(join(home, "elsewhere/projects/-b/s1.jsonl"), lines(user("One", 1)));
    const env = { CLAUDE_CONFIG_DIR: join(home, "elsewhere") };
    expect(await run({ env })).toMatchObject({ imported: 1, skipped: 1 });
    await onlyThread();
    expect(await run({ env })).toMatchObject({ unchanged: 1, skipped: 1 });
  });

  it("keeps a wrong clock from putting a thread into the future", async () => {
    write(claudeFile("s1"), lines({ ...user("One", 1), timestamp: "2999-01-01T00:00:00Z" }));
    await run();
    expect((await onlyThread()).updated_at).toBeLessThanOrEqual(Date.now());
  });

  it("keeps nothing waiting for lines that are made to take long, and says what it did not read", async () => {
    const call = (input: object) => ({
      type: "assistant",
      message: { content: [{ type: "tool_use", id: "t", name: "x", input }] },
    });
    const nested = `{"type":"assistant","message":{"content":[{"type":"y","a":${"[".repeat(9000)}${"]".repeat(9000)}}]}}\n`;
    const many = Array.from({ length: 1_500_000 }, () => 1);
    const long = "x".repeat(3_000_000);
    write(
      claudeFile("s1"),
      `${lines(user(`Hello ${"key".repeat(700_000)}`, 1), call({ many }))}${nested}${lines(answer(long, 2), user("Bye", 3))}`,
    );
    const codex = (id: string, words: string) => [
      { type: "session_meta", payload: { id, cwd: "/code" } },
      { type: "response_item", payload: { role: "user", content: `<e>${"<cwd>".repeat(200_000)}</e>` } },
      { type: "response_item", payload: { type: "message", role: "user", content: words } },
    ];
    write(join(home, ".codex/sessions/rollout-1.jsonl"), lines(...codex("c1", "Look")));
    write(join(home, ".codex/sessions/rollout-2.jsonl"), lines(...codex("c".repeat(501), "Look")));
    const busy = new LongestTurn();
    expect(await run()).toMatchObject({ imported: 1, failed: [] });
    expect(await run({ source: "codex", agentId: "codex" })).toMatchObject({
      imported: 1,
      failed: [{ reason: "the name of its session or of its folder is too long" }],
    });
    expect(busy.stop()).toBeLessThan(400);
    const thread = (await threads()).find(({ session_id }) => session_id === "s1");
    expect(thread?.title).toMatch(/^Hello keykey.*…$/);
    const rows = (await said(thread?.id ?? "")).map((row) => row.split("\n\nReason", 1)[0]?.slice(0, 60));
    expect(rows).toEqual([
      `user: Hello ${"key".repeat(16)}`,
      "assistant: A part of the history was not read",
      "assistant: A part of the history was not read",
      `assistant: ${"x".repeat(49)}`,
      "user: Bye",
    ]);
  });

  it("says which file it could not read, and imports the others", async () => {
    write(claudeFile("s1"), lines(user("One", 1)));
    write(claudeFile("s2"), "not json\n[]\n\u0000\n");
    register.createThread = () => Promise.reject(new Error("The disk is full."));
    const { failed, skipped } = await run();
    expect(failed).toEqual([{ file: claudeFile("s1"), reason: "The disk is full." }]);
    expect(skipped).toBe(1);
  });

  it("finds nothing on a machine without histories", async () => {
    expect(await run({ source: "codex" })).toEqual({ imported: 0, continued: 0, unchanged: 0, skipped: 0, failed: [] });
  });

  it("takes rollouts of Codex, and the log says where each event came from", async () => {
    const event = (type: string, payload: object) => ({ timestamp: "2026-01-02T10:00:00Z", type, payload });
    write(
      join(home, ".codex/sessions/2026/01/02/rollout-2026-01-02T10-00-00-c1.jsonl"),
      lines(
        event("session_meta", { id: "c1", timestamp: "2026-01-02T09:59:00Z", cwd: "/code" }),
        event("event_msg", { type: "user_message", message: "Look" }),
        event("response_item", {
          type: "function_call",
          name: "exec_command",
          arguments: '{"cmd":"ls"}',
          call_id: "x",
        }),
        event("response_item", { type: "function_call_output", call_id: "x", output: "a.txt" }),
        event("event_msg", { type: "task_complete" }),
      ),
    );
    expect(await run({ source: "codex", agentId: "codex" })).toMatchObject({ imported: 1 });
    const thread = await onlyThread();
    expect(thread).toMatchObject({ agent_id: "codex", cwd: "/code", session_id: "c1", tool_call_count: 1 });
    expect(await said(thread.id)).toEqual(["user: Look", "`ls`"]);
    const { rows } = await register.query("events.list", { thread_id: thread.id });
    expect(rows.at(-1)).toMatchObject({
      kind: "signalbox/session_ended",
      payload: { meta: { "signalbox/imported": { source: "codex", session_id: "c1", entries: 6 } } },
    });
  });
});
