// Sub-agents with sessions of their own, from the agent to screens and to ACP clients that know them or do not; titles and archives.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AcpTestClient } from "../support/acp-client.ts";
import { askPermission, type Step, script, toolCall } from "../support/fake-agent/script.ts";
import { type FakeHost, question, run, viewOf } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import { sharedHost } from "../support/shared-host.ts";

async function connected(host: FakeHost, capabilities: object = {}): Promise<AcpTestClient> {
  const client = await AcpTestClient.connect(host.process.ready);
  await client.initialize(capabilities);
  return client;
}

const ofKid = (update: object): Step => ({
  send: { method: "session/update", params: { sessionId: "kid", update } },
});
const kidSays = (text: string) => ofKid({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const announce = (fields: object): Step => ({
  update: { sessionUpdate: "subagent_update", sessionId: "kid", ...fields },
});
const isQuestion = ({ method }: { method?: string }) => method === "session/request_permission";

describe("a sub-agent with a session of its own", () => {
  it("is the same to a screen, to a client that knows sub-agents and to one that does not, and asks each of them", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    using knowing = await connected(host, { subagents: {} });
    using plain = await connected(host);
    const sessionId = await knowing.newSession(host.project);
    await plain.ask("session/resume", { sessionId, cwd: host.project });
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: sessionId });
    const kidAsks = askPermission("c1", { title: "Its question" }) as { ask: string; params: object };
    const steps: readonly Step[] = [
      announce({ title: "Look", state: { state: "running" }, capabilities: { cancel: {} } }),
      toolCall("c1", { title: "Mine", status: "completed" }),
      kidSays("Looking."),
      ofKid({ sessionUpdate: "tool_call", toolCallId: "c1", title: "Its", kind: "read", status: "pending" }),
      { ...kidAsks, params: { ...kidAsks.params, sessionId: "kid" }, quiet: true },
      { heard: "session/cancel" },
      announce({ state: { state: "idle", stopReason: "end_turn" } }),
    ];
    const kid = `${sessionId}/kid`;
    const turn = knowing.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: script(...steps) }] });
    const asked = await knowing.waitFor(isQuestion);
    expect(asked.params).toMatchObject({ sessionId: kid, toolCall: { toolCallId: "c1", title: "Its question" } });
    const askedPlain = await plain.waitFor(isQuestion);
    expect(askedPlain.params).toMatchObject({ sessionId, toolCall: { toolCallId: "subagent:kid:c1" } });
    expect(await question(screen, sessionId)).toMatchObject({ tool_call_id: "subagent:kid:c1" });
    // The agent allows to cancel it; not one that was never announced.
    knowing.notify("session/cancel", { sessionId: `${sessionId}/stranger` });
    knowing.notify("session/cancel", { sessionId: kid });
    // The cancel is on its way before the answer is.
    knowing.answer(asked.id, { outcome: { outcome: "selected", optionId: "yes" } });
    await plain.waitFor(({ method }) => method === "$/cancel_request");
    await turn;
    expect(knowing.said(sessionId)).toBe('{"sessionId":"kid"}');
    expect(knowing.said(kid)).toBe("Looking.");
    const announcements = knowing.updateTexts(sessionId).filter((line) => line.includes("subagent_update"));
    expect(JSON.parse(announcements[0] ?? "{}")).toMatchObject({ update: { sessionId: kid, title: "Look" } });
    // A client that comes in the middle knows it too.
    using later = await connected(host, { subagents: {} });
    await later.ask("session/resume", { sessionId, cwd: host.project });
    const more = script(kidSays("More."), kidSays(" And more."));
    await knowing.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: more }] });
    await later.waitFor(() => later.said(kid) === "More. And more.");
    await plain.waitFor(() => plain.said(sessionId, "user_message_chunk").includes("And more."));
    expect(plain.said(sessionId)).not.toContain("Looking.");
    const calls = plain.updateTexts(sessionId).filter((line) => line.includes('"tool_call"'));
    expect(calls.map((line) => (JSON.parse(line) as { update: { toolCallId: string } }).update.toolCallId)).toEqual([
      "subagent:kid",
      "c1",
      "subagent:kid:c1",
    ]);
    await expect
      .poll(() => viewOf(screen.received, sessionId).timeline.map(lineOf))
      .toEqual([
        "user ",
        "subagent:kid completed ",
        "c1 completed ",
        "assistant subagent:kid Looking.",
        "subagent:kid:c1 failed subagent:kid",
        'assistant {"sessionId":"kid"}',
        "user ",
        "assistant subagent:kid More. And more.",
      ]);
  });

  it("says nothing for the agent itself: its mode, its plan and its title are not the thread's", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const thread_id = await host.thread(screen);
    await run(
      screen,
      thread_id,
      announce({}),
      ofKid({ sessionUpdate: "current_mode_update", currentModeId: "yolo" }),
      ofKid({ sessionUpdate: "plan", entries: [{ content: "its", priority: "high", status: "pending" }] }),
    );
    const { thread, plan } = viewOf(screen.received, thread_id);
    expect([thread.current_mode_id, plan]).toEqual([null, null]);
  });
});

function lineOf(item: ReturnType<typeof viewOf>["timeline"][number]): string {
  const parent = item.parent_tool_call_id ?? "";
  if (item.type === "tool_call") return `${item.tool_call_id} ${item.status} ${parent}`;
  return item.role === "user" ? "user " : `${item.role} ${parent === "" ? "" : `${parent} `}${item.text}`;
}

describe("titles and archives", () => {
  it("reach an agent that keeps them, from a screen and from a client; one that does not is left alone", async () => {
    using ended = new TemporaryFolder();
    const file = ended.in("ended");
    const sessionCapabilities = { title: {}, archive: {}, resume: {}, close: {} };
    const initialize = JSON.stringify({ agentCapabilities: { loadSession: true, sessionCapabilities } });
    await using host = await sharedHost({ agentArgs: ["--initialize", initialize, "--ended-file", file] });
    const screen = await host.screen();
    const thread_id = await host.thread(screen);
    await run(screen, thread_id, { say: "Hello." });
    const heard = () => readFileSync(file, "utf8").trim().split("\n");
    await screen.request({ control: "tvx.update_thread", thread_id, updates: { title: "By me" } });
    await expect.poll(heard).toEqual(["session/set_title By me"]);
    await screen.request({ control: "tvx.update_thread", thread_id, updates: { archived: true } });
    await expect.poll(heard).toEqual(["session/set_title By me", "session/archive"]);
    // The agent's session was closed with it. The next prompt takes it out of the archive first.
    await run(screen, thread_id, { say: "Again." });
    expect(heard().slice(2)).toEqual(["session/unarchive"]);
    using client = await connected(host);
    const list = async (archived?: string) => {
      const filter = archived === undefined ? {} : { archived };
      const { sessions, nextCursor } = await client.ask("session/list", { cwd: host.project, ...filter });
      return { ids: (sessions as { sessionId: string; archived: boolean }[]).map((one) => one.archived), nextCursor };
    };
    expect(await list()).toEqual({ ids: [], nextCursor: undefined });
    expect(await list("only")).toEqual({ ids: [true], nextCursor: undefined });
    const { nextCursor: cursor } = await list("include");
    const { sessions } = await client.ask("session/list", { cwd: host.project, archived: "include", cursor });
    expect(sessions).toMatchObject([{ sessionId: thread_id, title: "By me", archived: true }]);
    expect((await client.request("session/list", { archived: "some" })).error).toMatchObject({ code: -32602 });
    const sessionId = thread_id;
    expect(await client.ask("session/status", { sessionId })).toEqual({ status: "open" });
    await client.ask("session/unarchive", { sessionId });
    expect(await client.ask("session/set_title", { sessionId, title: " From the editor " })).toEqual({
      title: "From the editor",
    });
    expect((await client.request("session/set_title", { sessionId, title: " " })).error).toMatchObject({
      code: -32602,
    });
    await expect.poll(heard).toContain("session/set_title From the editor");
    expect((await list()).ids).toEqual([false]);
    await client.ask("session/archive", { sessionId });
    expect(heard().at(-1)).toBe("session/archive");
    expect(await client.ask("session/status", { sessionId })).toEqual({ status: "saved" });
    expect((await client.request("session/status", { sessionId: "unknown" })).error).toMatchObject({ code: -32002 });
    await using plain = await sharedHost();
    const other = await plain.screen();
    const quiet = await plain.thread(other);
    await other.request({ control: "tvx.update_thread", thread_id: quiet, updates: { title: "X", archived: true } });
    await run(other, quiet, { heard: "session/set_title" });
    await expect.poll(() => viewOf(other.received, quiet).timeline.at(-1)).toMatchObject({ text: "null" });
  });
});
