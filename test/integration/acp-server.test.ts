// ACP clients of the host, over its WebSocket: a session is a thread, and what the agent sent comes unchanged.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AcpTestClient, idIn } from "../support/acp-client.ts";
import { askPermission, fakeAgentFile, script, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { type FakeHost, question, run, submit, turnEnd } from "../support/fake-host.ts";
import { sharedHost } from "../support/shared-host.ts";

const runFake = ["--no-warnings", fakeAgentFile];
const text = (words: string) => [{ type: "text", text: words }];

interface Rows {
  readonly rows: readonly { readonly kind: string; readonly payload: object }[];
}

async function connected(host: FakeHost, capabilities: object = {}, query = ""): Promise<AcpTestClient> {
  const client = await AcpTestClient.connect(host.process.ready, query);
  await client.initialize(capabilities);
  return client;
}

/** A line of the agent, written by hand: spaces, numbers and keys that an encoder would change. */
const raw = (sessionId: string, update: string) =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${sessionId}","update":${update}}}\n`;

const strange = [
  '{"sessionUpdate":"dream","depth":1.0,"big":12345678901234567890,"depth":2e0,"_meta":{"why":"not"}}',
  '{ "sessionUpdate" : "agent_message_chunk" , "content" : {"type":"text","text":"caf\\u00e9"},"_meta":{"x":[1.50]}}',
  '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one"}}',
  '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two"}}',
  '{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"teleport","status":"floating","spin":"left"}',
  `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"${"y".repeat(70_000)}"}}]}`,
];

describe("a session over /acp", () => {
  it("[R3] [R1] passes on every byte that the agent sent, live, on load and on resume, and only the session id differs", async () => {
    await using host = await sharedHost();
    using client = await connected(host, {}, "?positions");
    const sessionId = await client.newSession(host.project);
    const line = (update = "") => raw("whatever", update);
    const [dream, cafe, one, two, ...calls] = strange;
    // The two chunks in one write: the log joins those that come together, and a busy machine could part others.
    const lines = [line(dream), line(cafe), line(one) + line(two), ...calls.map(line)].map((each) => ({ raw: each }));
    const vendor = '{"jsonrpc":"2.0","method":"_x.ai/pulse","params":{"sessionId":"s","beat":1.0}}';
    const prompt = text(script(...lines, { raw: `${vendor}\n` }, { stop: "max_tokens" }));
    const result = await client.ask("session/prompt", { sessionId, prompt });
    expect(result.stopReason).toBe("max_tokens");
    expect(client.updateTexts(sessionId)).toEqual(
      strange.map((update) => `{"sessionId":"${sessionId}","update":${update}}`),
    );
    expect(client.lines).toContain(vendor.replace('"s"', `"${sessionId}"`));

    using second = await connected(host);
    await second.ask("session/load", { sessionId, cwd: host.project, mcpServers: [] });
    const [asked, ...history] = second.updateTexts(sessionId);
    expect(asked).toContain("user_message_chunk");
    expect(second.said(sessionId, "user_message_chunk")).toBe(prompt[0]?.text);
    // Chunks that differ in nothing but their text are one event of the log.
    const joined = strange.filter((_, index) => index !== 3).map((update) => update.replace('"one"', '"onetwo"'));
    expect(history).toEqual(joined.map((update) => `{"sessionId":"${sessionId}","update":${update}}`));

    // A client that was killed after any of them, also between two chunks of one event, gets the bytes of the others.
    const notified = ({ lines: all }: AcpTestClient) => all.filter((each) => !each.includes('"id":'));
    const live = notified(client);
    const logged = notified(second).slice(1);
    expect(client.positions).toHaveLength(live.length);
    for (const [index, { seq, offset }] of client.positions.entries()) {
      const after = { "signalbox/afterSeq": seq, ...(offset === undefined ? {} : { "signalbox/afterOffset": offset }) };
      const missed = index < 2 ? logged.slice(index + 1) : live.slice(index + 1);
      using back = await connected(host);
      const method = index % 2 === 0 ? "session/load" : "session/resume";
      await back.ask(method, { sessionId, cwd: host.project, mcpServers: [], _meta: after });
      if (missed.length > 0) await back.waitFor(() => notified(back).length >= missed.length);
      expect(notified(back)).toEqual(missed);
    }
  });

  it("[R3] passes on what else the agent's answers and questions have, with its _meta, also to a client that comes later", async () => {
    const answer = { _meta: { "x.example/cost": 1, nested: { a: [null] } }, models: { current: "m" } };
    const words = [
      "--session",
      JSON.stringify(answer),
      "--answer",
      JSON.stringify({ ...answer, usage: { totalTokens: 5 } }),
    ];
    await using host = await sharedHost({ agentArgs: words });
    using client = await connected(host);
    const made = { "signalbox/agent": "fake", "x.example/option": { deep: [1] } };
    const begun = await client.ask("session/new", { cwd: host.project, _meta: made });
    const sessionId = idIn(begun);
    expect(begun).toMatchObject({ ...answer, _meta: { ...answer._meta, "signalbox/agent": "fake" } });
    const { ask, params } = askPermission("c", { title: "T", spin: "left" }) as { ask: string; params: object };
    const asks = { ask, params: { ...params, _meta: { "x.example/risk": 2 }, deadline: 9 }, quiet: true };
    const _meta = { traceparent: "00-1-2-01", "x.example/from": ["editor"], "signalbox/promptId": "p" };
    const turn = client.ask("session/prompt", {
      sessionId,
      _meta,
      prompt: text(script(asks, { heard: "session/prompt" })),
    });
    const isQuestion = ({ method }: { method?: string }) => method === "session/request_permission";
    const whole = { sessionId, _meta: { "x.example/risk": 2 }, deadline: 9, toolCall: { title: "T", spin: "left" } };
    expect((await client.waitFor(isQuestion)).params).toMatchObject(whole);
    using later = await connected(host);
    expect(await later.ask("session/resume", { sessionId, cwd: host.project })).toMatchObject(answer);
    const asked = await later.waitFor(isQuestion);
    expect(asked.params).toMatchObject(whole);
    later.answer(asked.id, { outcome: { outcome: "selected", optionId: "yes" } });
    expect(await turn).toMatchObject({ ...answer, stopReason: "end_turn", usage: { totalTokens: 5 } });
    // And the agent gets what the client sent with its prompt.
    const heard = JSON.parse(client.said(sessionId)) as { _meta: object };
    expect(heard._meta).toEqual({ traceparent: "00-1-2-01", "x.example/from": ["editor"] });
    const said = client.said(sessionId).length;
    await client.ask("session/prompt", { sessionId, prompt: text(script({ heard: "session/new" })) });
    expect(JSON.parse(client.said(sessionId).slice(said))).toMatchObject({
      _meta: { "x.example/option": { deep: [1] } },
    });
  });

  it("[R4] gives an agent that is started again what the client opened the session with, or what a later client did", async () => {
    const capabilities = JSON.stringify({ agentCapabilities: { sessionCapabilities: { resume: {} } } });
    await using host = await sharedHost({ agentArgs: ["--initialize", capabilities] });
    using client = await connected(host);
    const server = { name: "s", command: "server", args: [], env: [] };
    const _meta = { "signalbox/agent": "fake", "x.example/option": 1 };
    const sessionId = idIn(await client.ask("session/new", { cwd: host.project, mcpServers: [server], _meta }));
    const screen = await host.screen();
    const resumedWith = async (from: AcpTestClient) => {
      await screen.request({ control: "session.close", thread_id: sessionId });
      const said = from.said(sessionId).length;
      await from.ask("session/prompt", { sessionId, prompt: text(script({ heard: "session/resume" })) });
      return JSON.parse(from.said(sessionId).slice(said)) as object;
    };
    expect(await resumedWith(client)).toMatchObject({ mcpServers: [server], _meta: { "x.example/option": 1 } });
    using later = await connected(host);
    const other = { ...server, name: "other" };
    const position = { "signalbox/afterSeq": 1, "x.example/option": 2 };
    await later.ask("session/resume", { sessionId, cwd: host.project, mcpServers: [other], _meta: position });
    const resumed = await resumedWith(later);
    expect(resumed).toMatchObject({ mcpServers: [other] });
    expect(resumed).toHaveProperty("_meta", { "x.example/option": 2 });
  });

  it("passes requests that are not ACP's own on to the agent, and gives its answer or its error", async () => {
    await using host = await sharedHost();
    using client = await connected(host);
    const sessionId = await client.newSession(host.project);
    const login = { apiKey: "from the editor" };
    const echoed = await client.ask("_x.example/echo", { sessionId, login, deep: { a: [null, 1.5] } });
    expect(echoed).toEqual({ sessionId, login, deep: { a: [null, 1.5] } });
    // Without a name it is the only session, also when its agent has to be started again.
    const screen = await host.screen();
    await screen.request({ control: "session.close", thread_id: sessionId });
    expect(await client.ask("_x.example/echo", { b: 2 })).toEqual({ sessionId, b: 2 });
    client.notify("_x.example/echo", { sessionId, told: true });
    await client.ask("session/prompt", { sessionId, prompt: text(script({ heard: "_x.example/echo" })), _meta: login });
    expect(JSON.parse(client.said(sessionId))).toMatchObject({ told: true });
    const codeOf = async (method: string, params: object) => (await client.request(method, params)).error?.code;
    expect(await codeOf("_x.example/unknown", { sessionId })).toBe(-32601);
    expect(await codeOf("_x.example/echo", { sessionId: "none" })).toBe(-32002);
    await client.newSession(host.project);
    expect(await codeOf("_x.example/echo", {})).toBe(-32602);
    // What was passed on is in the log, with what came back, and without secrets.
    const args = { thread_id: sessionId };
    const { rows } = (await screen.request({ control: "tvx.query", name: "events.list", args })) as unknown as Rows;
    const echo = "_x.example/echo";
    const deep = { sessionId, login: { apiKey: "***" }, deep: { a: [null, 1.5] } };
    const result = { ...deep, sessionId: expect.stringContaining("fake-session") };
    const passedOn = rows.filter(({ kind }) => kind === "signalbox/client_request");
    expect(rows.find(({ kind }) => kind === "signalbox/turn_queued")?.payload).toMatchObject({ meta: deep.login });
    expect(passedOn.map(({ payload }) => payload)).toMatchObject([
      { method: echo, params: deep, outcome: "answered", result },
      { method: echo, params: { b: 2 }, outcome: "answered" },
      { method: echo, params: { told: true }, outcome: "sent" },
      { method: "_x.example/unknown", outcome: "failed", error: { code: -32601 } },
    ]);
  });

  it("[R4] load answers after the history, goes on without a gap, and leaves out what the client has", async () => {
    await using host = await sharedHost();
    using first = await connected(host);
    const sessionId = await first.newSession(host.project);
    await first.ask("session/prompt", { sessionId, prompt: text(script({ say: "before " })) });
    const held = { ...askPermission("c"), quiet: true };
    const running = first.ask("session/prompt", { sessionId, prompt: text(script({ say: "a" }, held, { say: "b" })) });
    await first.waitFor(() => first.said(sessionId) === "before a");
    using second = await connected(host);
    const { _meta } = await second.ask("session/load", { sessionId, cwd: host.project, mcpServers: [] });
    const seq = (_meta as { "signalbox/seq": number })["signalbox/seq"];
    const answerAt = second.received.findIndex(({ id }) => id === 2);
    const historyAt = second.lines.findIndex((line) => line.includes("before "));
    expect(historyAt).toBeLessThan(answerAt);
    const asked = await second.waitFor(({ method }) => method === "session/request_permission");
    second.answer(asked.id, { outcome: { outcome: "selected", optionId: "yes" } });
    await running;
    await second.waitFor(() => second.said(sessionId) === "before ab");
    using third = await connected(host);
    await third.ask("session/load", {
      sessionId,
      cwd: host.project,
      mcpServers: [],
      _meta: { "signalbox/afterSeq": seq },
    });
    expect(third.said(sessionId)).toBe("b");
    expect(third.said(sessionId, "user_message_chunk")).toBe("");
  });

  it("a question goes to every client and screen, the first answer counts, and the others are told", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    using one = await connected(host);
    using two = await connected(host);
    const sessionId = await one.newSession(host.project);
    await two.ask("session/resume", { sessionId, cwd: host.project });
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: sessionId });
    const turn = one.ask("session/prompt", {
      sessionId,
      prompt: text(script(toolCall("c", { kind: "execute" }), askPermission("c", { title: "Run it" }))),
    });
    const isQuestion = ({ method }: { method?: string }) => method === "session/request_permission";
    const [atOne, atTwo] = await Promise.all([
      one.waitFor(isQuestion),
      two.waitFor(isQuestion),
      question(screen, sessionId),
    ]);
    expect(atOne.params).toMatchObject({ sessionId, toolCall: { toolCallId: "c", title: "Run it" } });
    two.answer(atTwo.id, { outcome: { outcome: "selected", optionId: "yes" } });
    const cancelled = await one.waitFor(({ method }) => method === "$/cancel_request");
    expect(cancelled.params).toEqual({ requestId: atOne.id });
    // Too late: nothing happens.
    one.answer(atOne.id, { outcome: { outcome: "selected", optionId: "no" } });
    expect((await turn).stopReason).toBe("end_turn");
    expect(one.said(sessionId)).toContain('"optionId":"yes"');
    await two.waitFor(() => two.said(sessionId) === one.said(sessionId));
    expect(two.said(sessionId, "user_message_chunk")).toContain("Run it");
    expect(one.said(sessionId, "user_message_chunk")).toBe("");
    expect(two.received.some(({ method }) => method === "$/cancel_request")).toBe(false);
  });

  it("prompts of several clients wait in one queue, and a cancel answers those that are held back", async () => {
    await using host = await sharedHost();
    using one = await connected(host);
    using two = await connected(host);
    const sessionId = await one.newSession(host.project);
    await two.ask("session/resume", { sessionId, cwd: host.project });
    const first = one.ask("session/prompt", { sessionId, prompt: text(script({ say: "first " }, { wait: 60_000 })) });
    await two.waitFor(() => two.said(sessionId) === "first ");
    const second = two.ask("session/prompt", { sessionId, prompt: text(script({ say: "second" })) });
    const screen = await host.screen();
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: sessionId });
    await screen.waitFor((message) => JSON.stringify(message).includes('"queued"'));
    one.notify("session/cancel", { sessionId });
    expect((await first).stopReason).toBe("cancelled");
    expect(await second).toMatchObject({ stopReason: "cancelled", _meta: { "signalbox/held": true } });
    await screen.request({ control: "run.continue", thread_id: sessionId });
    await one.waitFor(() => one.said(sessionId) === "first second");
  });

  it("text for the running turn goes into it where the agent takes it; else it stays with the client, or is queued", async () => {
    const agent = (...args: readonly string[]) => ({
      command: process.execPath,
      args: [...runFake, ...args],
      label: "F",
    });
    const able = ["--initialize", JSON.stringify({ _meta: { steering: { supported: true } } })];
    const fake = agent(...able, "--steering", '{"outcome":"injected"}');
    await using host = await sharedHost({ config: { agents: { fake, unable: agent() } } });
    using client = await AcpTestClient.connect(host.process.ready);
    expect(await client.initialize()).toMatchObject({ _meta: { steering: { supported: true } } });
    const stays = { steering: { idleBehavior: "promptRequired" } };
    const steer = (sessionId: string, words: string, _meta: object = {}) =>
      client.ask("_session/steering", { sessionId, prompt: text(words), _meta });
    const questionIn = (id: string) =>
      client.waitFor(({ method, params }) => method === "session/request_permission" && params?.sessionId === id);

    const sessionId = await client.newSession(host.project);
    expect(await steer(sessionId, "idle", stays)).toEqual({ outcome: "promptRequired", reason: "noRunningTurn" });
    using other = await connected(host);
    await other.ask("session/resume", { sessionId, cwd: host.project });
    const steps = script({ say: "a" }, askPermission("t"), { heard: "_session/steering" });
    const turn = client.ask("session/prompt", { sessionId, prompt: text(steps) });
    const asked = await questionIn(sessionId);
    expect(await steer(sessionId, "be quick", stays)).toEqual({ outcome: "injected" });
    client.answer(asked.id, { outcome: { outcome: "selected", optionId: "yes" } });
    expect((await turn).stopReason).toBe("end_turn");
    expect(client.said(sessionId)).toContain('"text":"be quick"');
    // The others see it in the turn; its sender has it.
    await other.waitFor(() => other.said(sessionId) === client.said(sessionId));
    expect(other.said(sessionId, "user_message_chunk")).toBe(`${steps}be quick`);
    expect(client.said(sessionId, "user_message_chunk")).toBe("");
    // Sent twice, it runs once: it does not go into its own turn.
    const same = { "signalbox/promptId": "sent-twice" };
    const begins = () => steer(sessionId, script(askPermission("u")), same);
    expect(await begins()).toMatchObject({ outcome: "startedNewTurn" });
    const next = await client.waitFor(({ method, id }) => method === "session/request_permission" && id !== asked.id);
    expect(await begins()).toMatchObject({ outcome: "startedNewTurn" });
    client.answer(next.id, { outcome: { outcome: "selected", optionId: "yes" } });

    const made = { cwd: host.project, mcpServers: [], _meta: { "signalbox/agent": "unable" } };
    const second = idIn(await client.ask("session/new", made));
    const held = client.ask("session/prompt", { sessionId: second, prompt: text(script(askPermission("t"))) });
    const askedThere = await questionIn(second);
    expect(await steer(second, "not now", stays)).toEqual({ outcome: "promptRequired", reason: "notTaken" });
    const queued = await steer(second, script({ say: " later" }));
    expect(queued).toEqual({ outcome: "startedNewTurn", _meta: { "signalbox/queued": true } });
    client.answer(askedThere.id, { outcome: { outcome: "selected", optionId: "yes" } });
    await held;
    await client.waitFor(() => client.said(second).endsWith(" later"));
    expect(client.said(second, "user_message_chunk")).toBe("");
    const { error } = await client.request("_session/steering", { sessionId: second, prompt: "words" });
    expect(error).toMatchObject({ code: -32602 });
  });

  it("reads and writes the editor's unsaved text, after the rules, and records both", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    using editor = await connected(host, { fs: { readTextFile: true, writeTextFile: true } });
    const sessionId = await editor.newSession(host.project);
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: sessionId });
    const path = join(host.project, "a.txt");
    writeFileSync(path, "on disk\n");
    const turn = await submit(
      screen,
      sessionId,
      { ask: "fs/read_text_file", params: { path } },
      { ask: "fs/write_text_file", params: { path, content: "new\n" } },
    );
    const read = await editor.waitFor(({ method }) => method === "fs/read_text_file");
    expect(read.params).toMatchObject({ sessionId, path });
    editor.answer(read.id, { content: "unsaved\n" });
    // The question shows the difference from what the editor has.
    const again = await editor.waitFor(({ method, id }) => method === "fs/read_text_file" && id !== read.id);
    editor.answer(again.id, { content: "unsaved\n" });
    const asked = await editor.waitFor(({ method }) => method === "session/request_permission");
    expect(JSON.stringify(asked.params)).toContain("unsaved");
    expect(editor.received.some(({ method }) => method === "fs/write_text_file")).toBe(false);
    editor.answer(asked.id, { outcome: { outcome: "selected", optionId: "allow_once" } });
    const written = await editor.waitFor(({ method }) => method === "fs/write_text_file");
    expect(written.params).toMatchObject({ sessionId, path, content: "new\n" });
    editor.answer(written.id, {});
    await turnEnd(screen, turn);
    expect(readFileSync(path, "utf8")).toBe("on disk\n");
    expect(editor.said(sessionId)).toContain("unsaved");
    const events = await screen.request({ control: "tvx.query", name: "events.list", args: { thread_id: sessionId } });
    const requests = JSON.stringify(events).match(
      /"method":"fs\/(read|write)_text_file"[^}]*}[^}]*"meta":{"signalbox\/by":"editor"}/g,
    );
    expect(requests).toHaveLength(2);
  });

  it("lists, forks, closes and deletes threads, and sets modes and options", async () => {
    const modes = {
      currentModeId: "ask",
      availableModes: [
        { id: "ask", name: "Ask" },
        { id: "code", name: "Code" },
      ],
    };
    const configOptions = [
      {
        id: "model",
        name: "Model",
        type: "select",
        currentValue: "a",
        options: [
          { value: "a", name: "A" },
          { value: "b", name: "B" },
        ],
      },
    ];
    const capabilities = { agentCapabilities: { sessionCapabilities: { fork: {} } } };
    await using host = await sharedHost({
      agentArgs: ["--initialize", JSON.stringify(capabilities), "--session", JSON.stringify({ modes, configOptions })],
    });
    using client = await connected(host);
    const created = await client.ask("session/new", {
      cwd: host.project,
      mcpServers: [],
      _meta: { "signalbox/agent": "fake" },
    });
    expect(created).toMatchObject({ modes, configOptions });
    const sessionId = idIn(created);
    await client.ask("session/set_mode", { sessionId, modeId: "code" });
    const set = await client.ask("session/set_config_option", { sessionId, configId: "model", value: "b" });
    expect(set.configOptions).toMatchObject([{ id: "model", currentValue: "b" }]);
    const loaded = await client.ask("session/load", { sessionId, cwd: host.project, mcpServers: [] });
    expect(loaded).toMatchObject({ modes: { currentModeId: "code" }, configOptions: [{ currentValue: "b" }] });
    const fork = await client.ask("session/fork", { sessionId, cwd: host.project });
    expect(fork.sessionId).not.toBe(sessionId);
    const { sessions } = await client.ask("session/list", { cwd: host.project });
    expect(sessions).toMatchObject([{ sessionId: fork.sessionId }, { sessionId, cwd: host.project }]);
    await client.ask("session/close", { sessionId });
    const screen = await host.screen();
    const { rows } = await screen.query("threads.list", { cwd: host.project });
    const statuses = rows.map(({ id, status }) => [id, status]);
    expect(Object.fromEntries(statuses)).toEqual({ [sessionId]: "closed", [idIn(fork)]: "idle" });
    await client.ask("session/delete", { sessionId });
    const gone = await client.request("session/load", { sessionId, cwd: host.project, mcpServers: [] });
    expect(gone.error).toMatchObject({ code: -32002, message: `There is no session ${sessionId}.` });
  });

  it("shows the host's own questions as tool calls, and screens and clients the same items", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    mkdirSync(join(host.project, "sub"));
    const turn = await submit(
      screen,
      threadId,
      toolCallUpdate("never announced", { title: "X", status: "completed" }),
      { ask: "fs/write_text_file", params: { path: join(host.project, "sub/new.txt"), content: "x" } },
    );
    const { permission_id } = await question(screen, threadId);
    using client = await connected(host);
    await client.ask("session/load", { sessionId: threadId, cwd: host.project, mcpServers: [] });
    const asked = await client.waitFor(({ method }) => method === "session/request_permission");
    const call = client
      .updateTexts(threadId)
      .map((params) => (JSON.parse(params) as { update: object }).update)
      .at(-1);
    expect(call).toMatchObject({ sessionUpdate: "tool_call", kind: "edit", status: "pending" });
    await screen.request({
      control: "permission.respond",
      thread_id: threadId,
      permission_id,
      option_id: "reject_once",
    });
    expect((await client.waitFor(({ method }) => method === "$/cancel_request")).params).toEqual({
      requestId: asked.id,
    });
    await turnEnd(screen, turn);
    await run(screen, threadId, { say: "later" });
    await client.waitFor(() => client.said(threadId).endsWith("later"));
    expect(client.said(threadId, "user_message_chunk")).toContain("later");
  });
});
