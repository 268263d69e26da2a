import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { recordingClient } from "../../test-support/recording-client.ts";
import { progressTitle, readProgress } from "./progress.ts";
import type { RunningToolCall } from "./tool-call.ts";
import { ToolCallTracker } from "./tracker.ts";

describe("progressTitle", () => {
  it.each([
    [{ progress: 50, total: 100, message: "halfway" }, "build [50/100] - halfway"],
    [{ progress: 50, total: 100 }, "build [50/100]"],
    [{ progress: 50, message: "halfway" }, "build [50] - halfway"],
    [{ progress: 0.5 }, "build [0.5]"],
  ])("%o is %s", (progress, title) => {
    expect(progressTitle("build", progress)).toBe(title);
  });

  it("leaves out a total of 0, which says nothing", () => {
    expect(readProgress(1, 0)).toEqual({ progress: 1 });
    expect(readProgress(0, 3)).toEqual({ progress: 0, total: 3 });
  });

  it("says server/tool for an MCP tool, and no secret of the message", () => {
    expect(progressTitle("mcp__ci__build", { progress: 1, message: "token=hunter2 sent" })).toBe(
      "ci/build [1] - token=*** sent",
    );
  });
});

describe("progress of a call", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function running(): { call: RunningToolCall; titles: () => unknown[]; client: ReturnType<typeof recordingClient> } {
    const client = recordingClient();
    const tracker = new ToolCallTracker({ client, sessionId: "s", cwd: "/project" });
    const call = tracker.announce({ name: "build", args: { target: "all" } }).start();
    if (call.status !== "in_progress") throw new Error("not running");
    const titles = () => client.updates.slice(2).flatMap((update) => ("title" in update ? [update.title] : []));
    return { call, titles, client };
  }

  it("is sent in the title and, structured, in _meta", () => {
    const { call, client } = running();
    call.progress(50, 100, "halfway");
    expect(client.updates.at(-1)).toEqual({
      sessionUpdate: "tool_call_update",
      toolCallId: call.id,
      title: "build [50/100] - halfway",
      _meta: { "signalbox/progress": { progress: 50, total: 100, message: "halfway" } },
    });
  });

  it("is sent at most ten times a second, the first immediately and always the newest", () => {
    const { call, titles } = running();
    for (let i = 1; i <= 1000; i++) {
      call.progress(i, 1000);
      expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
      vi.advanceTimersByTime(1);
    }
    vi.advanceTimersByTime(200);
    expect(titles()[0]).toBe("build [1/1000]");
    expect(titles().at(-1)).toBe("build [1000/1000]");
    expect(titles().length).toBeLessThanOrEqual(11);
    expect(titles().length).toBeGreaterThanOrEqual(10);
  });

  it("sends the last report before the end, and nothing after it", () => {
    const { call, titles, client } = running();
    call.progress(1, 3);
    call.progress(2, 3);
    call.progress(3, 3);
    call.complete();
    call.progress(4, 3);
    vi.advanceTimersByTime(1000);
    expect(titles()).toEqual(["build [1/3]", "build [3/3]", 'build(target="all")']);
    expect(client.updates.at(-1)).toMatchObject({ status: "completed" });
  });

  it("gives the call its title back at the end, and keeps other _meta beside the progress", () => {
    const { call, client } = running();
    call.update({ meta: { mine: 1 } });
    call.progress(1);
    call.fail(new Error("broke"));
    expect(client.updates.at(-2)).toMatchObject({ _meta: { mine: 1, "signalbox/progress": { progress: 1 } } });
    expect(client.updates.at(-1)).toMatchObject({ status: "failed", title: 'build(target="all")' });
  });

  it("takes what MCP servers really send: no total, null, numbers that are none", () => {
    const { call, titles } = running();
    call.progress(Number.NaN, 100);
    call.progress(1, null, null);
    vi.advanceTimersByTime(100);
    call.progress(2, Number.POSITIVE_INFINITY, "");
    expect(titles()).toEqual(["build [1]", "build [2]"]);
  });
});
