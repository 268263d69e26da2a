// Sessions that an agent has beside the one it began with: forks of a thread, sessions from elsewhere, and options set again.
import type { ThreadResult } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { FakeHost, run, said, viewOf } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const able = (...abilities: readonly string[]) => [
  "--initialize",
  JSON.stringify({
    _meta: { "signalbox/fork_before": abilities.includes("fork_before") },
    agentCapabilities: {
      loadSession: abilities.includes("load"),
      sessionCapabilities: Object.fromEntries(abilities.map((ability) => [ability, {}])),
    },
  }),
];
const text = (words: string) => ({ type: "text", text: words });
const prompted = (words: string) => ({ update: { sessionUpdate: "user_message_chunk", content: text(words) } });

async function follow(screen: TestScreen, begun: Promise<ThreadResult>) {
  const { thread } = await begun;
  await screen.ask("tvx.subscribe", { stream: "thread", thread_id: thread.id });
  return thread;
}

describe("a fork", () => {
  it("is a thread of its own that knows its parent and goes on from the agent's own session", async () => {
    await using host = await sharedHost({ agentArgs: able("fork", "fork_before") });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await screen.request({ control: "tvx.update_thread", thread_id: threadId, updates: { title: "Mend it" } });
    await run(screen, threadId, { say: "in the parent" });
    const fork = await follow(screen, screen.ask("session.fork", { thread_id: threadId }));
    const parent = viewOf(screen.received, threadId).thread;
    expect(fork).toMatchObject({ parent_thread_id: threadId, title: "Mend it · 2", cwd: parent.cwd });
    expect(fork.fork).toEqual({ before_seq: null, by: "agent" });
    expect(fork.session_id).toMatch(/^fork-of-fake-session/);
    await run(screen, fork.id, { say: "in the fork" });
    expect(said(screen, fork.id)).toBe("in the fork");
    expect(said(screen, threadId)).toBe("in the parent");
    // Before a prompt, the agent is told before which of those that it got.
    const { timeline, turns } = viewOf(screen.received, threadId);
    const before_seq = timeline.find((item) => item.type === "message" && item.role === "user")?.seq ?? 0;
    const half = await follow(screen, screen.ask("session.fork", { thread_id: threadId, before_seq }));
    expect(half.fork).toEqual({ before_seq, by: "agent" });
    await run(screen, half.id, { heard: "session/fork" }, { heard: "session/prompt" });
    expect(said(screen, half.id)).toContain(`"signalbox/before_prompt":"${turns[0]?.turn_id}"`);
    const [own] = viewOf(screen.received, half.id).turns;
    expect(said(screen, half.id)).toContain(`"signalbox/prompt":"${own?.turn_id}"`);
  });

  it("that is loaded again does not get its parent's history twice", async () => {
    const steps = [
      prompted("one"),
      { say: "parent " },
      prompted("two"),
      { say: "own " },
      prompted("three"),
      { say: "news" },
    ];
    await using host = await sharedHost({
      agentArgs: [...able("fork", "load"), "--replay", JSON.stringify({ steps })],
    });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, { say: "parent " });
    const fork = await follow(screen, screen.ask("session.fork", { thread_id: threadId }));
    await run(screen, fork.id, { say: "own " });
    await host.restart();
    const second = await host.screen();
    await second.request({ control: "tvx.subscribe", stream: "thread", thread_id: fork.id });
    await second.request({ control: "session.resume", thread_id: fork.id });
    await expect.poll(() => said(second, fork.id)).toBe("own news");
  });

  it("is a new session that is told the conversation where the agent cannot copy, and from before any prompt; refused while a turn runs", async () => {
    const model = { id: "model", name: "Model", type: "select", currentValue: "small", options: [] };
    const session = JSON.stringify({ configOptions: [model] });
    await using host = await sharedHost({ agentArgs: [...able(), "--session", session] });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const set = { control: "session.set_config_option", thread_id: threadId } as const;
    await screen.request({ ...set, config_id: "model", value: "big" });
    await run(screen, threadId, { say: "first answer" });
    await run(screen, threadId, { say: "second answer" });
    const prompts = viewOf(screen.received, threadId).timeline.filter(
      (item) => item.type === "message" && item.role === "user",
    );
    const heard = async (request: { readonly before_seq?: number }) => {
      const fork = await follow(screen, screen.ask("session.fork", { thread_id: threadId, ...request }));
      await run(screen, fork.id, { heard: "session/prompt" }, { heard: "session/set_config_option" });
      const row = viewOf(screen.received, fork.id).thread;
      return { fork: row.fork, parent: row.parent_thread_id, said: said(screen, fork.id) };
    };
    const whole = await heard({});
    expect(whole).toMatchObject({ fork: { before_seq: null, by: "told" }, parent: threadId });
    expect(whole.said).toContain("goes on from an earlier one");
    expect(whole.said).toMatch(/first answer.*second answer/s);
    // It has the options of its parent.
    expect(whole.said).toContain('"configId":"model","value":"big"');
    const half = await heard({ before_seq: prompts[1]?.seq ?? 0 });
    expect(half.fork).toEqual({ before_seq: prompts[1]?.seq, by: "told" });
    expect(half.said).toContain("You: first answer");
    expect(half.said).not.toContain("second answer");
    // From before the first prompt there is nothing to tell.
    expect((await heard({ before_seq: prompts[0]?.seq ?? 0 })).said).not.toContain("goes on from an earlier one");
    const prompt = [text(JSON.stringify([{ wait: 60_000 }]))];
    await screen.request({ control: "run.submit", thread_id: threadId, prompt_id: "p", prompt });
    expect(await screen.request({ control: "session.fork", thread_id: threadId })).toMatchObject({ code: "conflict" });
    const args = { cwd: host.project };
    const threads = await screen.request({ control: "tvx.query", name: "threads.list", args });
    expect(threads).toMatchObject({ rows: expect.objectContaining({ length: 4 }) });
  });
});

describe("sessions that the agent has stored", () => {
  const sessions = {
    sessions: [
      { sessionId: "elsewhere", cwd: "/", title: "From a terminal", updatedAt: "2026-01-02T03:04:05Z" },
      { sessionId: 7, cwd: "/" },
    ],
    nextCursor: "more",
  };
  const steps = [prompted("old prompt"), { say: "old answer" }];
  const agentArgs = [
    ...able("list", "load"),
    "--sessions",
    JSON.stringify(sessions),
    "--replay",
    JSON.stringify({ steps }),
  ];

  it("are listed, with the thread that has them", async () => {
    await using host = await sharedHost({ agentArgs });
    const screen = await host.screen();
    const list = { control: "tvx.query", name: "agent_sessions.list", args: { agent_id: "fake", cwd: "/" } } as const;
    const row = { agent_id: "fake", session_id: "elsewhere", cwd: "/", title: "From a terminal" };
    expect(await screen.request(list)).toMatchObject({
      rows: [{ ...row, updated_at: Date.UTC(2026, 0, 2, 3, 4, 5), thread_id: null }],
      next_cursor: "more",
    });
    const adopt = { agent_id: "fake", session_id: "elsewhere", cwd: host.project };
    const thread = await follow(screen, screen.ask("session.adopt", { ...adopt, title: "From a terminal" }));
    expect(await screen.request(list)).toMatchObject({ rows: [{ ...row, thread_id: thread.id }] });
    const unable = { ...list, args: { agent_id: "unknown" } };
    expect(await screen.request(unable)).toMatchObject({ code: "not_found" });
  });

  it("become threads with their history, once, however often they are adopted", async () => {
    // On a host that has no thread of this session.
    await using host = await FakeHost.start({ agentArgs });
    const screen = await host.screen();
    const adopt = { agent_id: "fake", session_id: "elsewhere", cwd: host.project };
    const other = await host.screen();
    const [thread, same] = await Promise.all([
      follow(screen, screen.ask("session.adopt", adopt)),
      follow(other, other.ask("session.adopt", adopt)),
    ]);
    expect(thread).toMatchObject({ session_id: "elsewhere" });
    expect(same.id).toBe(thread.id);
    const told = () =>
      viewOf(screen.received, thread.id).timeline.map((item) => (item.type === "message" ? item.text : ""));
    expect(told()).toEqual(["old prompt", "old answer"]);
    expect(await screen.ask("session.adopt", adopt)).toMatchObject({ thread_id: thread.id });
    await host.restart();
    const second = await host.screen();
    await second.request({ control: "session.resume", thread_id: thread.id });
    const snapshot = await second.request({ control: "tvx.subscribe", stream: "thread", thread_id: thread.id });
    expect(snapshot).toMatchObject({ timeline: [{ text: "old prompt" }, { text: "old answer" }] });
    const { timeline } = viewOf([snapshot], thread.id);
    expect(timeline).toHaveLength(2);
  });

  it("are refused with a reason for an agent that cannot list or load them", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const args = { agent_id: "fake" };
    expect(await screen.request({ control: "tvx.query", name: "agent_sessions.list", args })).toMatchObject({
      code: "bad_request",
      message: "Fake cannot list its sessions.",
    });
    const adopt = { control: "session.adopt", agent_id: "fake", session_id: "x", cwd: host.project } as const;
    expect(await screen.request(adopt)).toMatchObject({ code: "bad_request" });
    const here = { cwd: host.project };
    expect(await screen.request({ control: "tvx.query", name: "threads.list", args: here })).toMatchObject({
      rows: [],
    });
  });
});

describe("options and modes of a thread that is resumed", () => {
  const modes = { currentModeId: "ask", availableModes: ["ask", "code"].map((id) => ({ id, name: id })) };
  const configOptions = [
    { id: "model", name: "Model", type: "select", currentValue: "small", options: [] },
    { id: "fast", name: "Fast", type: "boolean", currentValue: false },
  ];

  it("are set again, and what the agent reports is what is shown", async () => {
    await using host = await sharedHost({
      agentArgs: [...able("resume"), "--session", JSON.stringify({ modes, configOptions })],
    });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await screen.request({ control: "session.set_mode", thread_id: threadId, mode_id: "code" });
    const set = { control: "session.set_config_option", thread_id: threadId } as const;
    await screen.request({ ...set, config_id: "model", value: "big" });
    await host.restart();
    const second = await host.screen();
    await second.request({ control: "session.resume", thread_id: threadId });
    const snapshot = await second.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    expect(snapshot).toMatchObject({
      state: {
        current_mode_id: "code",
        config_options: [{ id: "model", currentValue: "big" }, { currentValue: false }],
      },
    });
    await run(second, threadId, { heard: "session/set_config_option" }, { heard: "session/set_mode" });
    expect(said(second, threadId)).toContain('"configId":"model","value":"big"');
    expect(said(second, threadId)).toContain('"modeId":"code"');
  });
});
