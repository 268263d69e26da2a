import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { recordingClient, sdkClient } from "../../test-support/recording-client.ts";
import { textContent } from "../content/content.ts";
import type { PendingToolCall, RunningToolCall, SettledReport } from "./tool-call.ts";
import { ToolCallTracker, type ToolCallTrackerOptions } from "./tracker.ts";

function tracking(options: Partial<ToolCallTrackerOptions> = {}) {
  const client = recordingClient();
  const tracker = new ToolCallTracker({ client, sessionId: "s", cwd: "/project", ...options });
  return { client, tracker };
}

function started(pending: PendingToolCall): RunningToolCall {
  const call = pending.start();
  if (call.status !== "in_progress") throw new Error(call.message);
  return call;
}

describe("ToolCallTracker", () => {
  it("announces a call with everything that is known, then sends only what changed", () => {
    const { client, tracker } = tracking();
    const pending = tracker.announce({ name: "read_file", args: { path: "a.ts", line: 3 } });
    const call = started(pending);
    call.update({ content: [textContent("half")] });
    call.complete({ content: [textContent("all")], rawOutput: { lines: 2 } });
    const toolCallId = pending.id;
    expect(client.updates).toEqual([
      {
        sessionUpdate: "tool_call",
        toolCallId,
        title: "Read `a.ts` (from line 3)",
        name: "read_file",
        kind: "read",
        status: "pending",
        rawInput: { path: "a.ts", line: 3 },
        locations: [{ path: "/project/a.ts", line: 3 }],
      },
      { sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" },
      { sessionUpdate: "tool_call_update", toolCallId, content: [textContent("half")] },
      {
        sessionUpdate: "tool_call_update",
        toolCallId,
        status: "completed",
        content: [textContent("all")],
        rawOutput: { lines: 2 },
      },
    ]);
  });

  it("is understood by the official SDK's client, whatever the call carries", async () => {
    const client = sdkClient();
    const tracker = new ToolCallTracker({ client, sessionId: "s", cwd: "/project" });
    const call = started(tracker.announce({ name: "edit", args: { path: "a" }, meta: { mine: true } }));
    call.update({
      content: [
        textContent("a"),
        { type: "content", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
        { type: "content", content: { type: "resource", resource: { uri: "file:///f", text: "x" } } },
        { type: "diff", path: "/project/a", oldText: "a", newText: "b" },
        { type: "terminal", terminalId: "t" },
      ],
      locations: [{ path: "/project/a", line: 4 }],
    });
    await call.complete().delivered();
    await expect.poll(() => client.updates).toHaveLength(4);
    expect(client.updates[0]).toMatchObject({ _meta: { mine: true } });
    expect(client.updates[2]).toMatchObject({ locations: [{ path: "/project/a", line: 4 }] });
    expect(client.updates[2]).toHaveProperty("content.length", 5);
    client.close();
  });

  it("gives every call an id of its own, and keeps the model's id where it can", () => {
    const { tracker } = tracking();
    const other = tracking().tracker;
    const ids = [tracker, tracker, other].map((each) => each.announce({ name: "x" }).id);
    expect(new Set(ids).size).toBe(3);
    expect(tracker.announce({ name: "x", id: "toolu_1" }).id).toBe("toolu_1");
  });

  it("keeps what was given over what would be inferred", () => {
    const { client, tracker } = tracking();
    const pending = tracker.announce({ name: "bash", title: "Build", kind: "edit", locations: [{ path: "/b" }] });
    pending.input({ command: "make", path: "x" });
    expect(pending).toMatchObject({ title: "Build", kind: "edit", locations: [{ path: "/b" }] });
    expect(client.updates[0]).toMatchObject({ title: "Build", kind: "edit" });
    expect(client.updates[1]).not.toHaveProperty("title");
  });

  it("shows a call while the model still writes its arguments, and refines it when they are complete", () => {
    const { client, tracker } = tracking();
    const pending = tracker.announce({ name: "bash" });
    expect(client.updates).toEqual([
      {
        sessionUpdate: "tool_call",
        toolCallId: pending.id,
        title: "bash",
        name: "bash",
        kind: "execute",
        status: "pending",
      },
    ]);
    pending.input({ command: "npm test" });
    expect(client.updates[1]).toEqual({
      sessionUpdate: "tool_call_update",
      toolCallId: pending.id,
      title: "`npm test`",
      rawInput: { command: "npm test" },
      locations: [],
    });
  });

  it("sends nothing when nothing changed", () => {
    const { client, tracker } = tracking();
    const pending = tracker.announce({ name: "bash", args: {} });
    pending.update({});
    pending.update({ title: pending.title, kind: pending.kind });
    expect(client.updates).toHaveLength(1);
  });

  it("adds the words of a failure to what the call already shows", () => {
    const { client, tracker } = tracking();
    const call = started(tracker.announce({ name: "bash" }));
    call.update({ content: [textContent("output")] });
    const end = call.fail(new Error("exit code 1"));
    expect(end).toMatchObject({ status: "failed", outcome: "failed", message: "exit code 1" });
    expect(client.updates.at(-1)).toMatchObject({
      status: "failed",
      content: [textContent("output"), textContent("exit code 1")],
    });
  });

  it("shows a plan", () => {
    const { client, tracker } = tracking();
    tracker.plan({ entries: [{ content: "a", priority: "medium", status: "pending" }] });
    expect(client.updates).toEqual([
      { sessionUpdate: "plan", entries: [{ content: "a", priority: "medium", status: "pending" }] },
    ]);
  });
});

describe("the states of a call", () => {
  it("do not have the steps that are not theirs", () => {
    const { tracker } = tracking();
    const pending = tracker.announce({ name: "x" });
    const illegal: (() => unknown)[] = [];
    // @ts-expect-error a pending call cannot be completed
    illegal.push(() => pending.complete());
    // @ts-expect-error nor report progress
    illegal.push(() => pending.progress(1));
    const call = started(pending);
    // @ts-expect-error a running call cannot be started again
    illegal.push(() => call.start());
    // @ts-expect-error nor be denied
    illegal.push(() => call.deny("no"));
    const end = call.complete();
    // @ts-expect-error a call that has ended does nothing any more
    illegal.push(() => end.fail("x"));
    for (const step of illegal) expect(step).toThrow(TypeError);
  });

  it("refuse a step from a state that was left", () => {
    const { tracker } = tracking();
    const pending = tracker.announce({ name: "x" });
    const call = started(pending);
    expect(() => pending.start()).toThrow(expect.objectContaining({ code: "stale_state" }));
    expect(() => pending.update({ title: "y" })).toThrow(expect.objectContaining({ code: "stale_state" }));
    call.complete();
    expect(() => pending.start()).toThrow(expect.objectContaining({ code: "stale_state" }));
  });

  it("end once: the first cause wins and later ones change nothing", () => {
    const { client, tracker } = tracking();
    const call = started(tracker.announce({ name: "x" }));
    const first = call.cancel("stopped");
    expect(call.complete({ content: [textContent("late")] })).toBe(first);
    expect(call.fail("late")).toBe(first);
    call.update({ title: "late" });
    call.progress(1);
    expect(client.updates).toHaveLength(3);
  });
});

describe("settleAll", () => {
  it("ends every open call, pending and running, and tells why", async () => {
    const { client, tracker } = tracking();
    const pending = tracker.announce({ name: "a" });
    const running = started(tracker.announce({ name: "b" }));
    started(tracker.announce({ name: "c" })).complete();
    expect(tracker.openCalls).toEqual([pending, running]);
    await tracker.settleAll("The turn was cancelled.");
    expect(tracker.openCalls).toEqual([]);
    const failed = client.updates.filter((update) => "status" in update && update.status === "failed");
    expect(failed.map((update) => "toolCallId" in update && update.toolCallId)).toEqual([pending.id, running.id]);
    expect(failed[0]).toMatchObject({ content: [textContent("The turn was cancelled.")] });
  });

  it("lets nothing start that it has ended, and stops what runs", async () => {
    const { tracker } = tracking();
    const pending = tracker.announce({ name: "a" });
    const running = started(tracker.announce({ name: "b" }));
    const signal = running.signal;
    await tracker.settleAll("cancelled");
    expect(pending.start()).toMatchObject({ status: "failed", outcome: "cancelled", message: "cancelled" });
    expect(signal.aborted).toBe(true);
    expect(pending.signal.aborted).toBe(true);
  });

  it("resolves when the client has taken every end, however slow it is", async () => {
    const taken: unknown[] = [];
    const { tracker } = tracking({
      client: {
        sessionUpdate: async ({ update }) => {
          await new Promise(setImmediate);
          taken.push("status" in update ? update.status : undefined);
        },
      },
    });
    for (let i = 0; i < 5; i++) started(tracker.announce({ name: "x" }));
    await tracker.settleAll("cancelled");
    expect(taken.filter((status) => status === "failed")).toHaveLength(5);
    expect(taken).toHaveLength(15);
  });

  it("does by itself what the signal of the call asks for", () => {
    const { client, tracker } = tracking();
    const turn = new AbortController();
    const call = started(tracker.announce({ name: "a", signal: turn.signal }));
    started(tracker.announce({ name: "b", signal: turn.signal })).complete();
    turn.abort(new Error("user cancelled"));
    expect(client.updates.at(-1)).toMatchObject({ toolCallId: call.id, status: "failed" });
    expect(call.signal.reason).toEqual(new Error("user cancelled"));
    expect(tracker.announce({ name: "c", signal: turn.signal }).start().status).toBe("failed");
    expect(getEventListeners(turn.signal, "abort")).toEqual([]);
  });
});

describe("order", () => {
  it("keeps the updates of each call in order on a connection that does not", async () => {
    const arrived = new Map<string, unknown[]>();
    let turn = 0;
    const { tracker } = tracking({
      client: {
        // The later a notification is sent, the sooner it arrives.
        sessionUpdate: async ({ update }) => {
          for (let i = 40 - turn++; i > 0; i--) await Promise.resolve();
          if (!("toolCallId" in update)) return;
          arrived.set(update.toolCallId, [...(arrived.get(update.toolCallId) ?? []), update.status]);
        },
      },
    });
    const calls = Array.from({ length: 5 }, () => tracker.announce({ name: "x" }));
    for (const call of calls) started(call).complete();
    await tracker.flush();
    for (const call of calls) expect(arrived.get(call.id)).toEqual(["pending", "in_progress", "completed"]);
  });

  it("announces a call before `announce` returns, so that text that is sent after it stays after it", () => {
    const { client, tracker } = tracking();
    tracker.announce({ name: "x" });
    expect(client.updates).toHaveLength(1);
  });
});

describe("onSettled", () => {
  it("reports every end once, with times and sizes", () => {
    const reports: SettledReport[] = [];
    const { tracker } = tracking({ onSettled: (report) => reports.push(report) });
    const call = started(tracker.announce({ name: "grep", args: { pattern: "x" } }));
    call.complete({ content: [textContent("12345")], rawOutput: [1, 2] });
    call.fail("late");
    tracker.announce({ name: "bash" }).deny("no");
    expect(reports).toEqual([
      {
        sessionId: "s",
        id: call.id,
        name: "grep",
        kind: "search",
        title: 'grep "x"',
        outcome: "completed",
        announcedAt: expect.any(Number),
        waitedMs: expect.any(Number),
        durationMs: expect.any(Number),
        inputSize: '{"pattern":"x"}'.length,
        outputSize: 5 + "[1,2]".length,
      },
      expect.objectContaining({ name: "bash", outcome: "denied", message: "no", durationMs: 0, inputSize: 0 }),
    ]);
  });

  it("may throw without harm to the call", () => {
    const log = vi.fn<(message: string) => void>();
    const { tracker } = tracking({
      log,
      onSettled: () => {
        throw new Error("full disk");
      },
    });
    expect(started(tracker.announce({ name: "x" })).complete().status).toBe("completed");
    expect(log).toHaveBeenCalledWith(expect.stringContaining("full disk"));
  });
});
