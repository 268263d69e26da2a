// The output of a command that ran through the host stands on a card of the timeline, whether the agent shows the terminal or not.
import type { ToolCallRow } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { askPermission, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { question, run, said, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const allowAll = { config: { permissions: [{ allow: "all" }] } };
const create = (command: string) => ({ ask: "terminal/create", params: { command } });

function calls(screen: TestScreen, threadId: string): readonly ToolCallRow[] {
  return viewOf(screen.received, threadId).timeline.flatMap((item) => (item.type === "tool_call" ? [item] : []));
}

/** Waits until a call of the thread is as described. */
async function callLike(screen: TestScreen, threadId: string, matches: (row: ToolCallRow) => boolean) {
  const message = await screen.waitFor(
    (candidate) =>
      candidate.type === "tinyvex.update" &&
      candidate.stream === "tool_calls" &&
      candidate.thread_id === threadId &&
      matches(candidate.row),
  );
  if (message.type !== "tinyvex.update" || message.stream !== "tool_calls") throw new Error("not a call");
  return message.row;
}

const terminalIdIn = (screen: TestScreen, threadId: string) =>
  /terminal-[\w-]+/.exec(said(screen, threadId))?.[0] ?? "";

describe("a command through the host", () => {
  it("that needed no question and that the agent shows nowhere has a card with its terminal, and the command's end", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    // With a shell around it, which the title leaves out.
    const params = { command: "/bin/bash", args: ["-c", "echo SILENT-OUT; exit 3"] };
    await run(screen, threadId, { ask: "terminal/create", params });
    // The turn may end first: then the call has a reason until the command ends.
    const row = await callLike(screen, threadId, ({ status, content }) => status === "failed" && content.length === 1);
    const terminalId = terminalIdIn(screen, threadId);
    expect(row).toMatchObject({
      kind: "execute",
      title: "`echo SILENT-OUT; exit 3`",
      content: [{ type: "terminal", terminalId }],
    });
    const [terminal] = viewOf(screen.received, threadId).terminals;
    expect(terminal).toMatchObject({ terminal_id: terminalId, output: "SILENT-OUT\n", exit_code: 3 });
  });

  it("that a person allowed has its terminal on the card of the question", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, create("echo ASKED"), { wait: 60_000 });
    const asked = await question(screen, threadId);
    const answer = { thread_id: threadId, permission_id: asked.permission_id, option_id: "allow_once" };
    await screen.request({ control: "permission.respond", ...answer });
    const row = await callLike(screen, threadId, ({ status }) => status === "completed");
    expect(row).toMatchObject({ tool_call_id: asked.tool_call_id, content: [{ type: "terminal" }] });
    await screen.request({ control: "run.cancel", thread_id: threadId });
    await turnEnd(screen, turnId);
    expect(calls(screen, threadId)).toHaveLength(1);
  });

  it("has a card of its own when a call of an earlier turn named the same and never ended", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, toolCall("old", { kind: "execute", rawInput: { command: "echo AGAIN" } }));
    await submit(screen, threadId, create("echo AGAIN"), { wait: 60_000 });
    const asked = await question(screen, threadId);
    expect(asked.tool_call_id).toMatch(/^signalbox-/);
    expect(calls(screen, threadId)).toMatchObject([
      { tool_call_id: "old", status: "failed" },
      { tool_call_id: asked.tool_call_id, title: "`echo AGAIN`", status: "pending" },
    ]);
  });

  it("that was cancelled while a person was asked ends with a reason", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, create("sleep 100"));
    await question(screen, threadId);
    await screen.request({ control: "run.cancel", thread_id: threadId });
    await turnEnd(screen, turnId);
    expect(calls(screen, threadId)).toMatchObject([
      { status: "failed", content: [{ type: "content", content: { type: "text", text: "This was cancelled." } }] },
    ]);
  });

  it("stands at the agent's own call about it, also when the agent gives the call other content", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const text = [{ type: "content", content: { type: "text", text: "ran it" } }];
    await run(
      screen,
      threadId,
      toolCall("c1", { kind: "execute", title: "`echo OWN`", rawInput: { command: "echo OWN" } }),
      create("echo OWN"),
      toolCallUpdate("c1", { status: "completed", content: text }),
    );
    const [call, ...others] = calls(screen, threadId);
    expect(call).toMatchObject({
      tool_call_id: "c1",
      status: "completed",
      content: [...text, { type: "terminal", terminalId: terminalIdIn(screen, threadId) }],
    });
    expect(others).toEqual([]);
  });

  it("stands at the only open call of the agent that does not say its command: one question, one card, its output once", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(
      screen,
      threadId,
      toolCall("c0", { kind: "read", title: "Read", locations: [{ path: "/w/a" }] }),
      toolCall("c1", { kind: "execute", title: "shell" }),
      create("echo ONCE"),
      { wait: 60_000 },
    );
    const asked = await question(screen, threadId);
    expect(asked).toMatchObject({
      tool_call_id: "c1",
      subject: { command: "echo ONCE", tool: null, follows_unnamed: false },
    });
    const answer = { thread_id: threadId, permission_id: asked.permission_id, option_id: "allow_once" };
    await screen.request({ control: "permission.respond", ...answer });
    await callLike(screen, threadId, ({ content }) => content.length === 1);
    await screen.request({ control: "run.cancel", thread_id: threadId });
    await turnEnd(screen, turnId);
    const [, call, ...others] = calls(screen, threadId);
    expect(call).toMatchObject({ tool_call_id: "c1", title: "`echo ONCE`" });
    expect(call?.content[0]).toMatchObject({ type: "terminal" });
    expect(others).toEqual([]);
    expect(viewOf(screen.received, threadId).permissions).toHaveLength(1);
  });

  it("is asked about at the same call, and says so, where the agent's own question did not name it", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const shell = { kind: "execute", title: "shell" };
    const turnId = await submit(screen, threadId, toolCall("c1", shell), askPermission("c1"), create("echo NAMED"));
    const unnamed = await question(screen, threadId);
    expect(unnamed).toMatchObject({ tool_call_id: "c1", subject: { command: null, follows_unnamed: false } });
    const respond = { control: "permission.respond", thread_id: threadId } as const;
    await screen.request({ ...respond, permission_id: unnamed.permission_id, option_id: "yes" });
    const named = await question(screen, threadId);
    expect(named).toMatchObject({ tool_call_id: "c1", subject: { command: "echo NAMED", follows_unnamed: true } });
    await screen.request({ ...respond, permission_id: named.permission_id, option_id: "allow_once" });
    await turnEnd(screen, turnId);
    expect(calls(screen, threadId)).toHaveLength(1);
  });

  it("has a card of its own where several calls of the agent could be about it, until the agent shows it at one of them", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const shell = { kind: "execute", title: "shell" };
    const first = await submit(screen, threadId, toolCall("c1", shell), toolCall("c2", shell), create("echo TWO"));
    const asked = await question(screen, threadId);
    expect(asked.tool_call_id).toMatch(/^signalbox-/);
    const respond = { thread_id: threadId, permission_id: asked.permission_id, option_id: "allow_once" };
    await screen.request({ control: "permission.respond", ...respond });
    await turnEnd(screen, first);
    const terminalId = terminalIdIn(screen, threadId);
    // The agent did not wait for the command.
    await expect.poll(() => viewOf(screen.received, threadId).terminals[0]?.exit_code).toBe(0);
    const text = [{ type: "content", content: { type: "text", text: "TWO" } }];
    await run(
      screen,
      threadId,
      toolCallUpdate("c2", { content: [{ type: "terminal", terminalId }] }),
      toolCallUpdate("c2", { status: "completed", content: text }),
    );
    // What the agent showed stays, and its text that is exactly the output is marked as such.
    expect(
      calls(screen, threadId).filter(({ content }) => content.some(({ type }) => type === "terminal")),
    ).toMatchObject([{ tool_call_id: "c2", content: [...text, { type: "terminal", terminalId }], repeats: [0] }]);
    // The host's own call, at which the question was, is part of that call now: for this screen, for one that comes later, and in every count.
    const ids = (rows: readonly ToolCallRow[]) => rows.map(({ tool_call_id }) => tool_call_id);
    await expect.poll(() => ids(calls(screen, threadId))).toEqual(["c1", "c2"]);
    const later = await host.screen();
    await later.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    expect(ids(calls(later, threadId))).toEqual(["c1", "c2"]);
    expect(viewOf(later.received, threadId).permissions).toMatchObject([{ tool_call_id: "c2", status: "allowed" }]);
    expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ tool_call_id: "c2" }]);
    const rows = async (
      name: "tool_calls.list" | "threads.list" | "search",
      args: Readonly<Record<string, string>>,
    ) => {
      const answer = await later.request({ control: "tvx.query", name, args });
      return answer.type === "tinyvex.query_result" ? answer.rows : [];
    };
    expect(await rows("tool_calls.list", { thread_id: threadId })).toMatchObject([
      { tool_call_id: "c1" },
      { tool_call_id: "c2" },
    ]);
    const ours = expect.objectContaining({ tool_call_id: asked.tool_call_id });
    expect(await rows("tool_calls.list", {})).not.toContainEqual(ours);
    expect(await rows("threads.list", {})).toContainEqual(
      expect.objectContaining({ id: threadId, tool_call_count: 2 }),
    );
    const found = expect.objectContaining({ item_id: asked.tool_call_id });
    await expect.poll(() => rows("search", { text: "TWO", thread_id: threadId })).not.toContainEqual(found);
  });

  it("belongs to the only call that has begun, until the agent shows it at another: then it stands only there", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const shell = { kind: "execute", title: "shell" };
    await run(
      screen,
      threadId,
      toolCall("c1", shell),
      toolCall("c2", { ...shell, status: "in_progress" }),
      toolCall("c3", shell),
      create("echo BEGUN"),
    );
    const terminalId = terminalIdIn(screen, threadId);
    const showing = () =>
      calls(screen, threadId).flatMap(({ tool_call_id, content }) =>
        content.some((entry) => entry.type === "terminal" && entry.terminalId === terminalId) ? [tool_call_id] : [],
      );
    expect(showing()).toEqual(["c2"]);
    await run(screen, threadId, toolCallUpdate("c3", { content: [{ type: "terminal", terminalId }] }));
    expect(showing()).toEqual(["c3"]);
    expect(calls(screen, threadId)).toHaveLength(3);
  });
});
