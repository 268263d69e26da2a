// A command that runs through the host is an item of the timeline of its own, whether the agent shows the terminal or not.
import { nestHostItems, type ToolCallRow } from "@signalbox/protocol";
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

  it("is an item beside the agent's own call about it, and its question belongs to the item", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const shell = { kind: "execute", title: "shell", rawInput: { command: "echo OWN" } };
    const turnId = await submit(screen, threadId, toolCall("c1", shell), create("echo OWN"));
    const asked = await question(screen, threadId);
    expect(asked).toMatchObject({ subject: { command: "echo OWN", tool: null } });
    expect(calls(screen, threadId)).toMatchObject([
      { tool_call_id: "c1", title: "shell", content: [] },
      { tool_call_id: asked.tool_call_id, title: "`echo OWN`", kind: "execute", status: "pending" },
    ]);
    expect(asked.tool_call_id).toMatch(/^signalbox-/);
    const answer = { thread_id: threadId, permission_id: asked.permission_id, option_id: "allow_once" };
    await screen.request({ control: "permission.respond", ...answer });
    await turnEnd(screen, turnId);
    const ended = await callLike(screen, threadId, ({ tool_call_id, status }) => {
      return tool_call_id === asked.tool_call_id && status === "completed";
    });
    expect(ended.content).toEqual([{ type: "terminal", terminalId: terminalIdIn(screen, threadId) }]);
  });

  it("that the agent shows at its call is nested there; statistics and counts have the agent's call alone", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const shell = { kind: "execute", title: "shell", status: "in_progress" };
    await run(screen, threadId, toolCall("c1", shell), toolCall("c2", shell), create("echo TWO"));
    const terminalId = terminalIdIn(screen, threadId);
    await run(
      screen,
      threadId,
      toolCallUpdate("c2", { status: "completed", content: [{ type: "terminal", terminalId }] }),
    );
    await expect.poll(() => viewOf(screen.received, threadId).terminals[0]?.exit_code).toBe(0);
    const { items, within } = nestHostItems(viewOf(screen.received, threadId).timeline);
    expect(items.flatMap((item) => (item.type === "tool_call" ? [item.tool_call_id] : []))).toEqual(["c1", "c2"]);
    expect(within.get("c2")).toMatchObject([{ title: "`echo TWO`", content: [{ type: "terminal", terminalId }] }]);
    const { rows } = await screen.query("threads.list", {});
    expect(rows).toContainEqual(expect.objectContaining({ id: threadId, tool_call_count: 2 }));
  });

  it("that the agent asked about is not asked about again: the answer is for exactly this command, once", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const fields = { kind: "execute", title: "shell", rawInput: { command: "echo ASKED" } };
    const turnId = await submit(
      screen,
      threadId,
      toolCall("c1", fields),
      askPermission("c1", fields),
      create("echo ASKED"),
      create("echo ASKED"),
    );
    const respond = { control: "permission.respond", thread_id: threadId } as const;
    const own = await question(screen, threadId);
    expect(own.tool_call_id).toBe("c1");
    await screen.request({ ...respond, permission_id: own.permission_id, option_id: "yes" });
    const second = await question(screen, threadId);
    expect(second).toMatchObject({ subject: { command: "echo ASKED", asked_before: [] } });
    // The agent gets its terminal, and may ask for the next one, before the screen does.
    await expect.poll(() => calls(screen, threadId)[1]?.content).toMatchObject([{ type: "terminal" }]);
    expect(calls(screen, threadId)[2]).toMatchObject({ tool_call_id: second.tool_call_id, status: "pending" });
    await screen.request({ ...respond, permission_id: second.permission_id, option_id: "reject_once" });
    await turnEnd(screen, turnId);
    expect(viewOf(screen.received, threadId).terminals).toHaveLength(1);
  });

  it("that the sandbox refuses is an item that says why", async () => {
    await using host = await sharedHost(allowAll);
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const cwd = host.process.ready.data_dir;
    await run(screen, threadId, { ask: "terminal/create", params: { command: "ls", cwd } });
    expect(calls(screen, threadId)).toMatchObject([{ status: "failed", title: `\`ls\` in \`${cwd}\`` }]);
    expect(JSON.stringify(calls(screen, threadId)[0]?.content)).toContain("Signalbox");
  });
});
