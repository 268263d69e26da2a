// Agents that flood, lie and stall, and screens that do not read: the others do not notice, and nothing is lost or doubled.
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { askPermission, toolCall } from "../support/fake-agent/script.ts";
import { FakeHost, question, run, said, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { rounds } from "../support/rounds.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

describe("a hostile or broken agent", () => {
  it("that sends half lines, other text, wrong ids and unknown kinds does no harm, and its messages are there", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const chunk = (text: string) =>
      JSON.stringify({
        jsonrpc: "2.0",
        method: "session/update",
        params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
      });
    const line = chunk("in two halves ");
    const turn = await run(
      screen,
      threadId,
      { raw: line.slice(0, 40) },
      { wait: 20 },
      { raw: `${line.slice(40)}\n` },
      { raw: "][ junk\n{}\n[]\nnull\n\n" },
      { raw: `${chunk("crlf")}\r\n` },
      { send: { id: 99_999, result: { stopReason: "refusal" } } },
      { send: { method: "session/update", params: { sessionId: "s" } } },
      { send: { method: "session/update", params: { sessionId: "s", update: { sessionUpdate: 7 } } } },
    );
    expect(turn).toMatchObject({ status: "ended", stop_reason: "end_turn" });
    expect(said(screen, threadId)).toBe("in two halves crlf");
  });

  it("[R3] that sends a line of thirty megabytes: it is stored completely, as a blob, and the agent goes on", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, { megabytes: 30 }, { say: "and on" });
    expect(said(screen, threadId)).toBe("and on");
    const [call] = viewOf(screen.received, threadId).timeline.filter((item) => item.type === "tool_call");
    const shown = JSON.stringify(call);
    expect(shown.length).toBeLessThan(100_000);
    // Fifteen letters of one byte and one of two.
    const size = 30 * 2 ** 16 * 17;
    expect(shown).toContain(`"size":${size}`);
    const hash = /"signalbox\/blob":\{"hash":"(\w+)"/.exec(shown)?.[1] ?? "";
    const args = { hash, offset: size - 17, length: 17 };
    expect(await screen.request({ control: "tvx.query", name: "blob.get", args })).toMatchObject({
      rows: [{ data: "0123456789abcdeé" }],
    });
  });

  it("that sends a line over the limit ends with one sentence, and other threads go on", async () => {
    await using host = await FakeHost.start();
    const screen = await host.screen();
    const [threadId, otherId] = [await host.thread(screen), await host.thread(screen)];
    const other = await submit(screen, otherId, toolCall("one"), askPermission("one"));
    const { permission_id } = await question(screen, otherId);
    const turn = await run(screen, threadId, { say: "before" }, { endlessMegabytes: 400 });
    expect(turn).toMatchObject({ status: "failed" });
    const sentence = "was stopped by Signalbox: it sent a line of more than 268435456 bytes.";
    expect(turn.error?.message.split(sentence)).toEqual(["The agent Fake ", ""]);
    await screen.ask("permission.respond", { thread_id: otherId, permission_id, option_id: "yes" });
    expect(await turnEnd(screen, other)).toMatchObject({ status: "ended", stop_reason: "end_turn" });
    expect(await run(screen, threadId, { say: "after" })).toMatchObject({ status: "ended" });
    expect(host.process.stderr).toBe("");
  });

  it("that sends very many values in one message: it is not read, the log has it as a text, and a request gets an error", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, { say: "before " }, { values: 200_000 }, { say: " and on" });
    const messages = viewOf(screen.received, threadId).timeline.filter((item) => item.type === "message");
    const texts = messages.map(({ kind, text }) => `${kind}: ${text}`);
    expect(texts.filter((text) => text.startsWith("notice: "))).toEqual([
      expect.stringContaining("(session/update)"),
      expect.stringContaining("(session/request_permission)"),
    ]);
    expect(texts.join("\n")).toMatch(/before [\s\S]*more than 50,000 values[\s\S]*-32600[\s\S]* and on/);
    const args = { thread_id: threadId, limit: 1000 };
    const kinds = (await screen.query("events.list", args)).rows.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "signalbox/malformed")).toHaveLength(2);
  });

  it("[R4] that sends a long chunk with small ones around it: all of it is there, in order", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const length = 1_280_000;
    await run(screen, threadId, { say: "first " }, { longChunk: length }, { say: " last" });
    const { rows } = await screen.query("messages.list", { thread_id: threadId });
    const hash = /"hash":"(\w+)"/.exec(JSON.stringify(rows.at(-1)))?.[1] ?? "";
    // Of sixteen letters one has two bytes.
    const size = 6 + (length / 16) * 17 + 5;
    for (const [offset, data] of [
      [0, "first 0123456789abcdeé"],
      [size - 22, "0123456789abcdeé last"],
    ])
      expect(
        await screen.request({
          control: "tvx.query",
          name: "blob.get",
          args: { hash, offset: Number(offset), length: Buffer.byteLength(String(data)) },
        }),
      ).toMatchObject({ rows: [{ size, data }] });
  });

  it("[R2] that floods is stored completely and in order, and every screen sees the same", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const parts = Array.from({ length: 50 }, (_, index) => ({ say: `${index} `, times: 400 }));
    const turnId = await submit(screen, threadId, ...parts);
    await turnEnd(screen, turnId);
    const whole = parts.map(({ say, times }) => say.repeat(times)).join("");
    const late = await host.screen();
    await late.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    const events = await late.query("events.list", { thread_id: threadId, limit: 1000 });
    const live = viewOf(screen.received, threadId);
    expect(live.gap).toBe(false);
    const item = live.timeline.findLast((candidate) => candidate.type === "message");
    expect(item?.type === "message" ? item.text : "").toBe(whole);
    // Twenty thousand chunks are a few rows, not twenty thousand.
    expect(events.rows.length).toBeLessThan(500);
  });

  it("[R2] many of them at a time: each thread complete and in order", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadIds = await Promise.all(
      Array.from({ length: rounds({ some: 8, all: 20 }) }, () => host.thread(screen)),
    );
    const texts = threadIds.map((_, thread) => Array.from({ length: 60 }, (_unused, index) => `${thread}.${index} `));
    const turnIds = await Promise.all(
      threadIds.map((threadId, index) => submit(screen, threadId, ...(texts[index] ?? []).map((say) => ({ say })))),
    );
    await Promise.all(turnIds.map((turnId) => turnEnd(screen, turnId)));
    for (const [index, threadId] of threadIds.entries()) expect(said(screen, threadId)).toBe(texts[index]?.join(""));
  });
});

describe("[R8] an agent that leaves a command running", () => {
  const create = (command: string) => ({ ask: "terminal/create", params: { command } });
  const commands = (screen: TestScreen, threadId: string) =>
    viewOf(screen.received, threadId).terminals.map(({ command, ended_at }) => [command, ended_at !== null]);

  it("and ends: the command ends too", async () => {
    await using host = await sharedHost({ config: { permissions: [{ allow: "all" }] } });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    expect(await run(screen, threadId, create("sleep 1000"), { exit: 3 })).toMatchObject({ status: "failed" });
    await expect.poll(() => commands(screen, threadId)).toEqual([["sleep 1000", true]]);
  });

  it("or starts one when its session is being closed: nothing is started any more", async () => {
    const params = { sessionId: "any", command: "sleep 1001" };
    const late = { id: "late", method: "terminal/create", params };
    await using host = await sharedHost({
      agentArgs: ["--stays", "--at-end", JSON.stringify(late)],
      config: { permissions: [{ allow: "all" }] },
    });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    // A rule that answered for this command in this turn would answer again.
    await submit(screen, threadId, create("sleep 1001"), { wait: 60_000 });
    await expect.poll(() => commands(screen, threadId)).toEqual([["sleep 1001", false]]);
    await screen.request({ control: "session.close", thread_id: threadId });
    await expect.poll(() => commands(screen, threadId)).toEqual([["sleep 1001", true]]);
  });
});

describe("an agent that asks and does not read", () => {
  it("is stopped when it has asked for too much, with the reason", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const asks = Array.from({ length: 1100 }, (_, id) => ({
      send: { id, method: "session/request_permission", params: { toolCall: { toolCallId: `c${id}` }, options } },
    }));
    const turn = await run(screen, threadId, ...asks, { wait: 60_000 });
    expect(turn).toMatchObject({ status: "failed" });
    expect(JSON.stringify(turn)).toContain("more than 1000 requests and read no answers");
  });
});

const options = [{ optionId: "no", name: "Reject", kind: "reject_once" }];

describe("a screen that does not read", () => {
  it("slows no other screen, and gets everything when it reads again", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const { port, token } = host.process.ready;
    const slow = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } });
    await once(slow, "open");
    slow.send(JSON.stringify({ id: 1, control: "tvx.subscribe", stream: "thread", thread_id: threadId }));
    await once(slow, "message");
    slow.pause();
    const text = "x".repeat(2000);
    for (let i = 0; i < 4; i++) await run(screen, threadId, { say: text, times: 2500 }, { say: `end ${i}` });
    const frames: string[] = [];
    slow.on("message", (data: Buffer) => frames.push(data.toString("utf8")));
    slow.resume();
    await expect.poll(() => frames.some((frame) => frame.includes("end 3"))).toBe(true);
    // It was caught up by a snapshot instead of by everything it missed.
    const bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
    expect(bytes).toBeLessThan(15_000_000);
    slow.terminate();
  });
});

describe("a hostile screen", () => {
  it("that sends a huge frame loses its own connection and nothing else", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const { port, token } = host.process.ready;
    const hostile = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } });
    await once(hostile, "open");
    hostile.on("error", () => {});
    hostile.send(Buffer.alloc(80 * 1024 * 1024, "["));
    await once(hostile, "close");
    expect(await run(screen, threadId, { say: "still here" })).toMatchObject({ stop_reason: "end_turn" });
  });

  it("that sends deeply nested JSON gets an error with its request id", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const prompt = `[{"type":"text","text":"","_meta":{"a":${deep}}}]`;
    screen.sendRaw(`{"id":"args","control":"tvx.query","name":"threads.list","args":{"a":${deep}}}`);
    screen.sendRaw(
      `{"id":"prompt","control":"run.submit","thread_id":"${threadId}","prompt_id":"p","prompt":${prompt}}`,
    );
    for (const request_id of ["args", "prompt"]) {
      const answer = await screen.waitFor((message) => "request_id" in message && message.request_id === request_id);
      expect(answer).toMatchObject({
        type: "tinyvex.error",
        code: "bad_request",
        message: expect.stringContaining("nested"),
      });
    }
    expect(await run(screen, threadId, { say: "still here" })).toMatchObject({ status: "ended" });
  });

  it("is told what is wrong with an empty prompt and an unknown thread", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const empty = { thread_id: threadId, prompt_id: "p", prompt: [] as { type: string }[] };
    expect(await screen.request({ control: "run.submit", ...empty })).toMatchObject({ code: "bad_request" });
    const elsewhere = { control: "tvx.subscribe", stream: "thread", thread_id: "../../etc" } as const;
    expect(await screen.request(elsewhere)).toMatchObject({ code: "not_found" });
  });
});
