// Tests sessions: the queue, cancel of an agent that ignores it, an agent that dies, a host that is killed, and resuming.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { askPermission, type Step, script, toolCall } from "../support/fake-agent/script.ts";
import { FakeHost, question, run, said, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import { isRunning } from "../support/processes.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

/** The turn goes on after `release`: nothing depends on how long the test takes until then. */
const gate: Step = { ...askPermission("gate", { title: "Go on" }), quiet: true };

async function release(screen: TestScreen, threadId: string): Promise<void> {
  await expect.poll(() => viewOf(screen.received, threadId).permissions).toHaveLength(1);
  const permission_id = viewOf(screen.received, threadId).permissions[0]?.permission_id ?? "";
  await screen.request({ control: "permission.respond", thread_id: threadId, permission_id, option_id: "yes" });
}

describe("the queue", () => {
  it("is visible, can be edited and shortened, and runs in order", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const first = await submit(screen, threadId, gate, { say: "first " });
    const second = await submit(screen, threadId, { say: "second " });
    const third = await submit(screen, threadId, { say: "third " });
    await expect
      .poll(() => viewOf(screen.received, threadId).turns.map(({ status }) => status))
      .toEqual(["running", "queued", "queued"]);
    const prompt = [{ type: "text", text: script({ say: "edited " }) }];
    const about = { thread_id: threadId, turn_id: second };
    expect(await screen.request({ control: "run.edit", ...about, prompt })).toMatchObject({ type: "tinyvex.ok" });
    expect(await screen.request({ control: "run.remove", ...about, turn_id: third })).toMatchObject({
      type: "tinyvex.ok",
    });
    await release(screen, threadId);
    await turnEnd(screen, first);
    await turnEnd(screen, second);
    expect(said(screen, threadId)).toBe("first edited ");
    await expect.poll(() => viewOf(screen.received, threadId).turns).toHaveLength(2);
    expect(await screen.request({ control: "run.edit", ...about, prompt })).toMatchObject({ code: "conflict" });
  });
});

describe("a model for one prompt", () => {
  const heard = [{ heard: "session/set_config_option" }];
  const asked = (thread_id: string, model: string) =>
    ({
      control: "run.submit",
      thread_id,
      prompt_id: `with ${model}`,
      prompt: [{ type: "text", text: script(...heard) }],
      model,
    }) as const;

  it("is set before it and put back after it, and the turn says which one answered", async () => {
    const options = [
      { value: "small", name: "Small" },
      { value: "big", name: "Big" },
      { value: "third", name: "Third" },
    ];
    const waits = [{ type: "text", text: script(askPermission("t")) }];
    const model = { id: "m", name: "Model", category: "model", type: "select", currentValue: "small", options };
    const agentArgs = [
      "--session",
      JSON.stringify({ configOptions: [model] }),
      "--initialize",
      JSON.stringify({ _meta: { steering: { supported: true } } }),
      "--steering",
      JSON.stringify({ outcome: "injected" }),
    ];
    await using host = await sharedHost({ agentArgs });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    expect(await run(screen, threadId, { say: "first " })).toMatchObject({ model: "small" });
    const answer = await screen.ask("run.submit", asked(threadId, "big"));
    expect(await turnEnd(screen, answer.turn_id)).toMatchObject({ model: "big", stop_reason: "end_turn" });
    expect(said(screen, threadId)).toContain('"value":"big"');
    expect(await run(screen, threadId, ...heard)).toMatchObject({ model: "small" });
    expect(said(screen, threadId)).toMatch(/"value":"big".*"value":"small"/s);
    // What a person chooses while the turn runs stays.
    const waiting = await screen.ask("run.submit", { ...asked(threadId, "big"), prompt_id: "waits", prompt: waits });
    const { permission_id } = await question(screen, threadId);
    const about = { thread_id: threadId, config_id: "m" };
    await screen.request({ control: "session.set_config_option", ...about, value: "third" });
    // A running turn has its model: a prompt with one of its own does not go into it.
    const queued = await screen.ask("run.submit", { ...asked(threadId, "big"), prompt_id: "steers", steer: true });
    expect(queued).toMatchObject({ queued: true, steered: false });
    const answered = { thread_id: threadId, permission_id, option_id: "yes" };
    await screen.request({ control: "permission.respond", ...answered });
    await turnEnd(screen, waiting.turn_id);
    expect(await run(screen, threadId, { say: "last" })).toMatchObject({ model: "third" });
  });

  it("is refused where the agent offers no choice", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    expect(await screen.request(asked(threadId, "big"))).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("does not let a client choose the model"),
    });
    expect(viewOf(screen.received, threadId).turns).toEqual([]);
  });
});

describe("prompts that wait when something stops", () => {
  const statuses = (screen: TestScreen, threadId: string) =>
    viewOf(screen.received, threadId).turns.map(({ status }) => status);

  it("are held back by a cancel, visible and editable, and run only when a person continues", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const first = await submit(screen, threadId, { wait: 60_000 });
    const second = await submit(screen, threadId, { say: "second " });
    const third = await submit(screen, threadId, { say: "third " });
    await screen.request({ control: "run.cancel", thread_id: threadId });
    expect(await turnEnd(screen, first)).toMatchObject({ stop_reason: "cancelled" });
    expect(statuses(screen, threadId)).toEqual(["ended", "queued", "queued"]);
    await run(screen, threadId, { say: "new " });
    expect(said(screen, threadId)).toBe("new ");
    const prompt = [{ type: "text", text: script({ say: "edited " }) }];
    const edit = { control: "run.edit", thread_id: threadId, turn_id: third, prompt } as const;
    expect(await screen.request(edit)).toMatchObject({ type: "tinyvex.ok" });
    expect(await screen.request({ control: "run.continue", thread_id: threadId })).toMatchObject({
      type: "tinyvex.ok",
    });
    await turnEnd(screen, second);
    await turnEnd(screen, third);
    expect(said(screen, threadId)).toBe("new second edited ");
    expect(await screen.request({ control: "run.continue", thread_id: threadId })).toMatchObject({ code: "conflict" });
  });

  it("are held back when the agent dies and when the host is killed; none is lost, and none runs by itself", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const first = await submit(screen, threadId, gate, { exit: 1 });
    const second = await submit(screen, threadId, { say: "second " });
    const third = await submit(screen, threadId, { say: "third " });
    await release(screen, threadId);
    expect(await turnEnd(screen, first)).toMatchObject({ status: "failed" });
    expect(statuses(screen, threadId)).toEqual(["failed", "queued", "queued"]);
    await host.restart("SIGKILL");
    const again = await host.screen();
    await again.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    expect(statuses(again, threadId)).toEqual(["failed", "queued", "queued"]);
    const remove = { control: "run.remove", thread_id: threadId, turn_id: second } as const;
    expect(await again.request(remove)).toMatchObject({ type: "tinyvex.ok" });
    expect(await again.request(remove)).toMatchObject({ code: "conflict" });
    await again.request({ control: "run.continue", thread_id: threadId });
    expect(await turnEnd(again, third)).toMatchObject({ stop_reason: "end_turn" });
    expect(statuses(again, threadId)).toEqual(["failed", "ended"]);
  });
});

describe("cancel", () => {
  it("[R7] is answered within a time limit, also if the agent ignores it, whose process is ended; the next prompt starts it again", async () => {
    await using host = await sharedHost({ agentArgs: ["--deaf"] });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, toolCall("c1"), { wait: 60_000 });
    // The turn runs before the prompt goes out: its checkpoint comes first.
    await screen.waitFor(
      (message) =>
        message.type === "tinyvex.update" && message.stream === "tool_calls" && message.thread_id === threadId,
    );
    const start = Date.now();
    await screen.request({ control: "run.cancel", thread_id: threadId });
    expect(await turnEnd(screen, turnId)).toMatchObject({ status: "ended", stop_reason: "cancelled" });
    expect(Date.now() - start).toBeLessThan(30_000);
    const [call] = viewOf(screen.received, threadId).timeline.filter((item) => item.type === "tool_call");
    expect(call).toMatchObject({ status: "failed" });
    expect(await run(screen, threadId, { say: "back" })).toMatchObject({ stop_reason: "end_turn" });
  });
});

describe("an agent that dies", () => {
  it("ends the turn as failed, with its exit and the end of its stderr, and comes back at the next prompt", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turn = await run(screen, threadId, { say: "before" }, toolCall("c1"), { log: "out of cheese" }, { exit: 7 });
    expect(turn).toMatchObject({ status: "failed", error: { code: "agent_failed" } });
    expect(turn.error?.message).toContain("The agent Fake exited with code 7.\nout of cheese");
    const view = viewOf(screen.received, threadId);
    expect(view.timeline.at(-1)).toMatchObject({ type: "tool_call", status: "failed" });
    expect(await run(screen, threadId, { say: "again" })).toMatchObject({ stop_reason: "end_turn" });
    // It remembers nothing itself, so it was told what is in the register: its echo of the prompt proves it got more than the prompt.
    expect(said(screen, threadId)).toContain("This conversation began in an earlier session");
  });

  it("while it starts: the error has its output, and no thread is left", async () => {
    await using host = await sharedHost({ agentArgs: ["--script", script({ log: "no licence" }, { exit: 2 })] });
    const screen = await host.screen();
    const created = await screen.request({ control: "session.create", agent_id: "fake", cwd: host.project });
    expect(created).toMatchObject({ type: "tinyvex.error", code: "agent_failed" });
    expect(JSON.stringify(created)).toContain("exited with code 2.\\nno licence");
    const args = { cwd: host.project };
    const threads = await screen.request({ control: "tvx.query", name: "threads.list", args });
    expect(threads).toMatchObject({ rows: [] });
  });

  it("with an error of its own: the turn fails with its message, and the agent goes on", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turn = await run(screen, threadId, {
      fail: { code: -32603, message: "Internal error", data: { details: "quota" } },
    });
    expect(turn).toMatchObject({ status: "failed", error: { code: "agent_failed", details: { code: -32603 } } });
    expect(turn.error?.message).toContain("quota");
    expect(await run(screen, threadId, { say: "fine" })).toMatchObject({ stop_reason: "end_turn" });
    expect(said(screen, threadId)).toBe("fine");
  });

  it("that wants a log-in first says how", async () => {
    const authMethods = [{ id: "x", name: "Web log-in", description: "Run `fake login`" }];
    await using host = await sharedHost({
      agentArgs: ["--initialize", JSON.stringify({ authMethods }), "--logged-out"],
    });
    const screen = await host.screen();
    const created = await screen.request({ control: "session.create", agent_id: "fake", cwd: host.project });
    expect(created).toMatchObject({
      code: "agent_failed",
      message:
        "Fake wants you to log in first: Authentication required. It offers: Web log-in: Run `fake login`. Then try again.",
    });
  });

  it("can be logged in to: in a terminal by a command that is told, or in the agent's own way by one request", async () => {
    const terminal = { id: "t", name: "Key", type: "terminal", args: ["log in"] };
    const initialize = JSON.stringify({
      authMethods: [{ id: "web", name: "Web" }, terminal],
      agentCapabilities: { auth: { logout: {} } },
    });
    using folder = new TemporaryFolder();
    await using host = await sharedHost({
      agentArgs: ["--log-in-file", folder.in("logged-in"), "--initialize", initialize, "--logged-out"],
    });
    const screen = await host.screen();
    const test = await screen.request({ control: "agents.test", agent_id: "fake" });
    expect(test).toMatchObject({
      test: { readiness: "needs_login", auth_methods: [{ id: "web", command: null }, { id: "t" }] },
    });
    expect(JSON.stringify(test)).toMatch(/"command":"\S+ .* --logged-out 'log in'"/);
    const logIn = { control: "agents.log_in", agent_id: "fake" } as const;
    expect(await screen.request({ ...logIn, method_id: "none" })).toMatchObject({ code: "not_found" });
    expect(await screen.request({ ...logIn, method_id: "web" })).toMatchObject({ test: { readiness: "ready" } });
    expect(readFileSync(folder.in("logged-in"), "utf8")).toBe("web");
    const threadId = await host.thread(screen);
    expect(await run(screen, threadId, { say: "in" })).toMatchObject({ stop_reason: "end_turn" });
    const out = await screen.request({ control: "agents.log_out", agent_id: "fake" });
    expect(out).toMatchObject({ test: { readiness: "needs_login", can_log_out: true } });
    expect(existsSync(folder.in("logged-in"))).toBe(false);
    const impossible = await screen.request({ control: "agents.log_out", agent_id: "demo" });
    expect(impossible).toMatchObject({ code: "bad_request", message: expect.stringContaining("no way to log out") });
  });
});

describe("a host that is killed", () => {
  it("[R1] [R5] [R8] comes back with everything that was shown, the turn interrupted, no call open, nothing left running", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await submit(screen, threadId, { say: "shown " }, toolCall("c1"), { ask: "_pid", quiet: true }, { wait: 60_000 });
    await screen.waitFor((message) => message.type === "tinyvex.update" && message.stream === "tool_calls");
    const before = viewOf(screen.received, threadId);
    await host.restart("SIGKILL");
    const second = await host.screen();
    await second.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    const after = viewOf(second.received, threadId);
    expect(after.timeline.length).toBe(before.timeline.length);
    expect(after.timeline[1]).toMatchObject({ text: "shown " });
    expect(after.timeline[2]).toMatchObject({ tool_call_id: "c1", status: "failed" });
    expect(after.turns).toMatchObject([{ status: "interrupted" }]);
    expect(after.thread.status).toBe("interrupted");
    expect(await run(second, threadId, { say: "on we go" })).toMatchObject({ stop_reason: "end_turn" });
  });
});

describe("resuming a session", () => {
  const replay = [
    { update: { sessionUpdate: "user_message_chunk", content: { type: "text", text: "[one]" } } },
    { say: "one " },
    { update: { sessionUpdate: "user_message_chunk", content: { type: "text", text: "elsewhere" } } },
    { say: "done elsewhere" },
  ];
  const canLoad = ["--initialize", JSON.stringify({ agentCapabilities: { loadSession: true } })];

  it("with session/load: what the register has is not duplicated, what another client added is kept", async () => {
    await using host = await sharedHost({ agentArgs: [...canLoad, "--replay", JSON.stringify({ steps: replay })] });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, { say: "one " });
    await host.restart();
    const second = await host.screen();
    await second.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    expect(await second.request({ control: "session.resume", thread_id: threadId })).toMatchObject({
      type: "tinyvex.ok",
    });
    await expect.poll(() => said(second, threadId)).toBe("one done elsewhere");
    await run(second, threadId, { say: " two" });
    expect(said(second, threadId)).toBe("one done elsewhere two");
  });
});

describe("modes", () => {
  it("are set, reported, and set again when the session is resumed", async () => {
    const modes = { currentModeId: "ask", availableModes: ["ask", "code"].map((id) => ({ id, name: id })) };
    await using host = await sharedHost({ agentArgs: ["--session", JSON.stringify({ modes }), "--greets"] });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    // What the agent says by itself as a session starts is no earlier session that it would have to be told of.
    await expect.poll(() => said(screen, threadId)).toBe("Hello before any prompt.");
    await run(screen, threadId, { say: " Done." });
    expect(said(screen, threadId)).toBe("Hello before any prompt. Done.");
    expect(viewOf(screen.received, threadId).state).toMatchObject({ current_mode_id: "ask", modes });
    await screen.request({ control: "session.set_mode", thread_id: threadId, mode_id: "code" });
    await expect.poll(() => viewOf(screen.received, threadId).state).toMatchObject({ current_mode_id: "code" });
    await host.restart();
    const second = await host.screen();
    await second.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    await second.request({ control: "session.resume", thread_id: threadId });
    await expect.poll(() => viewOf(second.received, threadId).state).toMatchObject({ current_mode_id: "code" });
  });
});

describe("an agent that has nothing to do", () => {
  it("is stopped, and starts again with the next prompt", async () => {
    await using host = await sharedHost({
      config: { agent_idle_s: 0.5 },
      agentArgs: ["--initialize", JSON.stringify({ agentCapabilities: { sessionCapabilities: { resume: {} } } })],
    });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const processes = async () => {
      return (await screen.query("processes.list", {})).rows.length;
    };
    // While a turn runs it is not idle, however long that takes.
    await run(screen, threadId, { wait: 1200 }, { say: "one " });
    await expect.poll(processes).toBe(0);
    expect(viewOf(screen.received, threadId).thread.status).not.toBe("failed");
    expect(await run(screen, threadId, { say: "two" })).toMatchObject({ stop_reason: "end_turn" });
    expect(said(screen, threadId)).toBe("one two");
  });
});

/** Starts and never says a word. */
const muteAgent = { command: process.execPath, args: ["-e", "process.stdin.resume(); setInterval(() => {}, 1000)"] };

describe("an agent that never answers", () => {
  it.each(["run.cancel", "session.close", "session.delete"] as const)("can be given up with %s", async (control) => {
    await using host = await sharedHost({ config: { agents: { mute: muteAgent } } });
    const screen = await host.screen();
    const created = screen.request({ control: "session.create", agent_id: "mute", cwd: host.project });
    const progress = await screen.waitFor((message) => message.type === "host.progress");
    const thread_id = progress.type === "host.progress" ? progress.subject : "";
    screen.sendRaw(JSON.stringify({ id: "end", control, thread_id }));
    expect(await created).toMatchObject({ code: "unavailable", message: "mute was stopped before it was ready." });
    const processes = await screen.request({ control: "tvx.query", name: "processes.list" });
    expect(processes).toMatchObject({ rows: [] });
    const args = { cwd: host.project };
    expect(await screen.request({ control: "tvx.query", name: "threads.list", args })).toMatchObject({ rows: [] });
  });
});

// Measured again when the machine is busy for a moment: the host itself waits for less.
describe("a host that is told to stop", { retry: 2 }, () => {
  it("[R8] is gone in less than three seconds, with every agent, also one that ignores signals and runs a command", async () => {
    await using host = await FakeHost.start({
      agentArgs: ["--deaf", "--stays"],
      config: { permissions: [{ allow: "all" }] },
    });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const terminal = { ask: "terminal/create", params: { command: "trap '' TERM; sleep 1000" } };
    await submit(screen, threadId, terminal, { ask: "_never_answered_by_the_agent", quiet: true }, { wait: 60_000 });
    await screen.waitFor((message) => message.type === "tinyvex.update" && message.stream === "terminals");
    const events = await screen.request({ control: "tvx.query", name: "events.list", args: { thread_id: threadId } });
    const pid = Number(/fake-session-(\d+)/.exec(JSON.stringify(events))?.[1]);
    const start = Date.now();
    expect(await host.process.stop()).toBe(0);
    expect(Date.now() - start).toBeLessThan(3000);
    await expect.poll(() => isRunning(pid), { timeout: 2000 }).toBe(false);
  });

  it("does not wait for an agent that never answers", async () => {
    await using host = await FakeHost.start({ config: { agents: { mute: muteAgent } } });
    const screen = await host.screen();
    screen.sendRaw(JSON.stringify({ control: "session.create", agent_id: "mute", cwd: host.project }));
    await screen.waitFor((message) => message.type === "host.progress");
    const start = Date.now();
    expect(await host.process.stop()).toBe(0);
    expect(Date.now() - start).toBeLessThan(3000);
  });
});

describe("an agent's environment", () => {
  it("is the person's own, and its processes end with the session", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, { environment: "PATH" }, { environment: "SIGNALBOX_TOKEN" });
    expect(said(screen, threadId)).toBe(`${JSON.stringify(process.env.PATH)}null`);
    const events = await screen.request({ control: "tvx.query", name: "events.list", args: { thread_id: threadId } });
    const pid = Number(/fake-session-(\d+)/.exec(JSON.stringify(events))?.[1]);
    expect(isRunning(pid)).toBe(true);
    await screen.request({ control: "session.delete", thread_id: threadId });
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});
