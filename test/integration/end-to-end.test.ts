// Tests the whole path of a prompt and its updates: WebSocket, session, agent process, register, change, reducer.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ServerMessage, ThreadView } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { viewOf } from "../support/fake-host.ts";
import { childrenOf, isRunning } from "../support/processes.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

async function startThread(screen: TestScreen, cwd: string): Promise<string> {
  const created = await screen.ask("session.create", { agent_id: "demo", cwd, title: "Hello" });
  expect(created).toMatchObject({ thread: { agent_id: "demo", cwd, title: "Hello" } });
  return created.thread_id;
}

function submit(screen: TestScreen, threadId: string, promptId: string, text: string): Promise<ServerMessage> {
  const prompt = [{ type: "text", text }];
  return screen.request({ control: "run.submit", thread_id: threadId, prompt_id: promptId, prompt });
}

const turnIs = (status: string) => (message: ServerMessage) =>
  message.type === "tinyvex.update" && message.stream === "turns" && "row" in message && message.row.status === status;

const texts = (view: ThreadView) =>
  view.timeline.map((item) => (item.type === "message" ? `${item.role}: ${item.text}` : item.title));

describe("a prompt, end to end", () => {
  it("streams an answer to a screen, and another screen and a restarted host show the same", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await startThread(screen, host.project);
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    expect(await submit(screen, threadId, "p1", "Hello there")).toMatchObject({ type: "run.submitted", queued: false });
    await screen.waitFor(turnIs("ended"));

    const deltas = screen.received.filter(
      (message) => message.type === "tinyvex.update" && message.stream === "messages" && message.role === "assistant",
    );
    expect(deltas.length).toBeGreaterThan(3);
    const live = viewOf(screen.received, threadId);
    expect(live.gap).toBe(false);
    const [prompt, opening, toolCall, answer, ...rest] = texts(live);
    expect(prompt).toBe("user: Hello there");
    expect(opening).toMatch(/^assistant: I am the \*\*demo\*\*.*> Hello there/s);
    expect(toolCall).toBe("List `.`");
    expect(answer).toMatch(/^assistant: .*reached this page\.$/s);
    expect(rest).toEqual([]);
    expect(live.turns).toMatchObject([{ status: "ended", stop_reason: "end_turn" }]);

    const second = await host.screen();
    await second.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    expect(texts(viewOf(second.received, threadId))).toEqual(texts(live));
    expect(await host.process.stop()).toBe(0);

    await host.restart();
    const third = await host.screen();
    await third.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    expect(texts(viewOf(third.received, threadId))).toEqual(texts(live));
    // And it goes on where it was.
    await submit(third, threadId, "p2", "Again");
    await third.waitFor(turnIs("ended"));
    expect(texts(viewOf(third.received, threadId))).toHaveLength(8);
  });

  it("[R4] runs a prompt once, however often it is sent", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await startThread(screen, host.project);
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    const answers = await Promise.all([1, 2, 3].map(() => submit(screen, threadId, "same", "Hello")));
    await screen.waitFor(turnIs("ended"));
    const late = await submit(screen, threadId, "same", "Hello");
    const turnIds = new Set(
      [...answers, late].map((answer) => (answer.type === "run.submitted" ? answer.turn_id : "")),
    );
    expect(turnIds.size).toBe(1);
    expect(texts(viewOf(screen.received, threadId)).filter((text) => text.startsWith("user:"))).toHaveLength(1);
  });

  it("stops a running turn as cancelled, and queues later prompts", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await startThread(screen, host.project);
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    await submit(screen, threadId, "p1", "word ".repeat(2000));
    expect(await submit(screen, threadId, "p2", "later")).toMatchObject({ queued: true });
    await screen.waitFor(
      (message) => message.type === "tinyvex.update" && message.stream === "messages" && message.role === "assistant",
    );
    expect(await screen.request({ control: "run.cancel", thread_id: threadId })).toMatchObject({ type: "tinyvex.ok" });
    await screen.waitFor(turnIs("ended"));
    expect(viewOf(screen.received, threadId).turns).toMatchObject([
      { status: "ended", stop_reason: "cancelled" },
      { status: "queued" },
    ]);
  });

  it("distinguishes an unknown agent, a missing folder and a malformed frame, and stays connected", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const create = (agent_id: string, cwd: string) => screen.request({ control: "session.create", agent_id, cwd });
    expect(await create("unknown", host.project)).toMatchObject({
      type: "tinyvex.error",
      code: "not_found",
      message: expect.stringMatching(/^There is no agent unknown\. Known agents: demo, /),
    });
    expect(await create("demo", join(host.project, "nowhere"))).toMatchObject({ code: "not_found" });
    expect(await create("demo", "relative")).toMatchObject({ code: "bad_request" });
    screen.sendRaw("{ not json");
    await screen.waitFor(
      (message) => message.type === "tinyvex.error" && message.message === "This frame is not JSON.",
    );
    screen.sendRaw('{"id": 77, "control": "tvx.fly"}');
    await screen.waitFor((message) => message.type === "tinyvex.error" && message.request_id === 77);
    expect(await screen.request({ control: "tvx.ping" })).toMatchObject({ type: "tinyvex.pong" });
  });

  it("[R8] leaves no agent running when the host stops, also when it is killed", async () => {
    await using host = await sharedHost();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await startThread(await host.screen(), host.project);
      const children = childrenOf(host.process.ready.pid);
      expect(children.length).toBeGreaterThan(0);
      await host.process.stop(signal);
      await expect.poll(() => children.filter(isRunning)).toEqual([]);
      // Later than that: a host that starts ends what one before it left.
      await host.restart();
    }
  });

  it("stores our agent's sessions in the host's data folder, whose token its commands cannot read", async () => {
    await using host = await sharedHost({ config: { permissions: [{ allow: "tool:bash" }] } });
    const data = host.process.ready.data_dir;
    const sessions = join(data, "agent-sessions");
    const before = existsSync(sessions) ? readdirSync(sessions).length : 0;
    const screen = await host.screen();
    const threadId = await startThread(screen, host.project);
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    await submit(screen, threadId, "p1", `run cat ${join(data, "token")} || echo not for me`);
    await screen.waitFor(turnIs("ended"));
    const { timeline, terminals } = viewOf(screen.received, threadId);
    const shown = JSON.stringify([timeline, terminals]);
    expect(shown).toContain("not for me");
    expect(shown).not.toContain(host.process.ready.token);
    expect(readdirSync(sessions)).toHaveLength(before + 1);
  });
});
