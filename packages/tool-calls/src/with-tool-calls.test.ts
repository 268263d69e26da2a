import { describe, expect, it, vi } from "vitest";
import { recordingClient, selected } from "../test-support/recording-client.ts";
import { ToolCallTracker } from "./calls/tracker.ts";
import { textContent } from "./content/content.ts";
import { ClientPermissionHandler } from "./permissions/client-handler.ts";
import { allow, deny, type PermissionHandler } from "./permissions/permission.ts";
import { type CallerContext, type ToolCallsOptions, type ToolContext, withToolCalls } from "./with-tool-calls.ts";

const allowAll: PermissionHandler = { decide: () => allow() };

function wrapped<Result>(
  tool: (name: string, args: unknown, context: ToolContext) => Result | Promise<Result>,
  options: Partial<ToolCallsOptions<Result>> = {},
) {
  const client = recordingClient();
  const tracker = new ToolCallTracker({ client, sessionId: "s", cwd: "/project" });
  const callTool = withToolCalls(tool, { tracker, permissions: allowAll, ...options });
  const statuses = () => client.updates.map((update) => ("status" in update ? update.status : update.sessionUpdate));
  return { client, tracker, callTool, statuses };
}

describe("withToolCalls", () => {
  it("announces, runs, reports and ends a call, and hands on what the tool returned", async () => {
    const result = { content: [{ type: "text", text: "hello" }] };
    const { callTool, client } = wrapped((name, args) => {
      expect([name, args]).toEqual(["read_file", { path: "a.ts" }]);
      return result;
    });
    expect(await callTool("read_file", { path: "a.ts" }, { toolCallId: "toolu_1" })).toBe(result);
    expect(client.updates).toMatchObject([
      { sessionUpdate: "tool_call", toolCallId: "toolu_1", title: "Read `a.ts`", kind: "read", status: "pending" },
      { sessionUpdate: "tool_call_update", toolCallId: "toolu_1", status: "in_progress" },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "toolu_1",
        status: "completed",
        content: [textContent("hello")],
      },
    ]);
  });

  it("has told the client of the end before the agent gets the result", async () => {
    const taken: unknown[] = [];
    const tracker = new ToolCallTracker({
      client: {
        sessionUpdate: async ({ update }) => {
          await new Promise(setImmediate);
          taken.push("status" in update && update.status);
        },
      },
      sessionId: "s",
      cwd: "/project",
    });
    await withToolCalls(() => "x", { tracker, permissions: allowAll })("x", {});
    expect(taken).toEqual(["pending", "in_progress", "completed"]);
  });

  it("uses the kind that a tool declares", async () => {
    const { callTool, client } = wrapped(() => "", { kindOf: (name) => (name === "read_mail" ? "fetch" : undefined) });
    await callTool("read_mail", {});
    await callTool("read_file", {});
    expect(client.updates.flatMap((update) => ("kind" in update ? [update.kind] : []))).toEqual(["fetch", "read"]);
  });

  it.each<[string, (context: ToolContext) => void]>([
    ["numbers", ({ onProgress }) => onProgress(1, 2, "half")],
    ["MCP's object", ({ onProgress }) => onProgress({ progress: 1, total: 2, message: "half" })],
  ])("reports progress to the client and to the caller, from %s", async (_, report) => {
    const onProgress = vi.fn<NonNullable<CallerContext["onProgress"]>>();
    const { callTool, client } = wrapped((_name, _args, context) => report(context));
    await callTool("build", {}, { onProgress });
    expect(client.updates).toContainEqual(expect.objectContaining({ title: "build [1/2] - half" }));
    expect(onProgress).toHaveBeenCalledWith(1, 2, "half");
  });

  it("lets the tool show more while it runs, and keeps that when it returns nothing", async () => {
    const { callTool, client } = wrapped((_name, _args, { call }) => {
      call.update({ content: [{ type: "terminal", terminalId: "t" }] });
    });
    await callTool("bash", {});
    expect(client.updates[2]).toMatchObject({ content: [{ type: "terminal", terminalId: "t" }] });
    expect(client.updates[3]).not.toHaveProperty("content");
  });

  it("adds what the tool returns to the diff and the terminal that it showed", async () => {
    const shown = [
      { type: "diff", path: "/a", oldText: "a", newText: "b" },
      { type: "terminal", terminalId: "t" },
    ] as const;
    const { callTool, client } = wrapped((_name, _args, { call }) => {
      call.update({ content: shown });
      return "edited";
    });
    await callTool("edit", {});
    expect(client.updates[3]).toMatchObject({ status: "completed", content: [...shown, textContent("edited")] });
  });

  it("shows text once that grew into the result, and keeps what was shown when the call fails", async () => {
    const growing = wrapped((_name, _args, { call }) => {
      call.update({ content: [textContent("one\n")] });
      return "one\ntwo\n";
    });
    await growing.callTool("bash", {});
    expect(growing.client.updates[3]).toMatchObject({ content: [textContent("one\ntwo\n")] });
    const failing = wrapped((_name, _args, { call }) => {
      call.update({ content: [{ type: "terminal", terminalId: "t" }] });
      return { isError: true, content: [{ type: "text", text: "exit code 1" }] };
    });
    await failing.callTool("bash", {});
    expect(failing.client.updates[3]).toMatchObject({
      status: "failed",
      content: [{ type: "terminal", terminalId: "t" }, textContent("exit code 1")],
    });
  });

  it("hands on everything else that the caller gave", async () => {
    const tool = vi.fn<(name: string, args: unknown, context: ToolContext) => string>(() => "");
    const { callTool } = wrapped(tool);
    await callTool("x", {}, { requestId: 7 } as CallerContext);
    expect(tool.mock.calls[0]?.[2]).toMatchObject({ requestId: 7 });
  });

  it("fails a call whose tool throws, and throws the same", async () => {
    const broken = new Error("no such file");
    const { callTool, client } = wrapped(() => {
      throw broken;
    });
    await expect(callTool("read", {})).rejects.toBe(broken);
    expect(client.updates.at(-1)).toMatchObject({ status: "failed", content: [textContent("no such file")] });
  });

  it("fails a call whose result says that it failed, and hands the result on", async () => {
    const result = { content: [{ type: "text", text: "bad input" }], isError: true };
    const { callTool, client } = wrapped(() => result);
    expect(await callTool("x", {})).toBe(result);
    expect(client.updates.at(-1)).toMatchObject({ status: "failed", content: [textContent("bad input")] });
  });

  it("does not run what is denied, and throws the words for the model", async () => {
    const tool = vi.fn<() => string>(() => "ran");
    const { callTool, statuses } = wrapped(tool, { permissions: { decide: () => deny("Not here.") } });
    await expect(callTool("bash", {})).rejects.toMatchObject({ code: "denied", message: "Not here." });
    expect(tool).not.toHaveBeenCalled();
    expect(statuses()).toEqual(["pending", "failed"]);
  });

  it("returns what the agent wants instead of throwing a denial", async () => {
    const { callTool } = wrapped(() => "ran", {
      permissions: { decide: () => deny("Not here.") },
      denied: ({ message }) => `error: ${message}`,
    });
    expect(await callTool("bash", {})).toBe("error: Not here.");
  });

  it("announces the call as pending before the question", async () => {
    const order: unknown[] = [];
    const client = recordingClient((question) => {
      order.push(["asked", question.toolCall.toolCallId]);
      return selected("allow_once");
    });
    const tracker = new ToolCallTracker({
      client: {
        sessionUpdate: ({ update }) => {
          if ("toolCallId" in update) order.push([update.status, update.toolCallId]);
        },
      },
      sessionId: "s",
      cwd: "/project",
    });
    const permissions = new ClientPermissionHandler(client);
    await withToolCalls(() => "", { tracker, permissions })("bash", {}, { toolCallId: "c" });
    expect(order).toEqual([
      ["pending", "c"],
      ["asked", "c"],
      ["in_progress", "c"],
      ["completed", "c"],
    ]);
  });

  it("rejects immediately when the turn is cancelled, also when the tool does not listen, and tells the tool", async () => {
    const turn = new AbortController();
    let toolSignal: AbortSignal | undefined;
    const { callTool, client } = wrapped((_name, _args, { signal }) => {
      toolSignal = signal;
      return new Promise<string>(() => undefined);
    });
    const call = callTool("bash", {}, { signal: turn.signal });
    await expect.poll(() => toolSignal).toBeDefined();
    const reason = new Error("user cancelled");
    turn.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(toolSignal?.reason).toBe(reason);
    expect(client.updates.at(-1)).toMatchObject({ status: "failed" });
  });

  it("rejects the calls that settleAll ends, and ignores what their tools return later", async () => {
    let finish: (value: string) => void = () => undefined;
    const { callTool, tracker, statuses } = wrapped(() => new Promise<string>((resolve) => (finish = resolve)));
    const call = callTool("bash", {});
    await expect.poll(() => statuses()).toContain("in_progress");
    await tracker.settleAll("The agent exits.");
    await expect(call).rejects.toMatchObject({ code: "cancelled", message: "The agent exits." });
    finish("late");
    await new Promise(setImmediate);
    expect(statuses()).toEqual(["pending", "in_progress", "failed"]);
  });

  it("does not start what was cancelled before", async () => {
    const tool = vi.fn<() => string>(() => "ran");
    const { callTool, statuses } = wrapped(tool);
    const reason = new Error("too late");
    await expect(callTool("bash", {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(tool).not.toHaveBeenCalled();
    expect(statuses()).toEqual(["pending", "failed"]);
  });

  it("shows the plan that a todo list holds", async () => {
    const { callTool, client } = wrapped(() => "ok");
    await callTool("TodoWrite", { todos: [{ content: "Test", status: "pending" }] });
    expect(client.updates).toContainEqual({
      sessionUpdate: "plan",
      entries: [{ content: "Test", priority: "medium", status: "pending" }],
    });
  });

  it("runs calls side by side without mixing them up", async () => {
    const { callTool, client } = wrapped(async (_name, args) => {
      for (let i = 0; i < Number(args); i++) await Promise.resolve();
      return `result ${String(args)}`;
    });
    const results = await Promise.all([9, 3, 6, 1].map((n) => callTool("x", n, { toolCallId: `c${n}` })));
    expect(results).toEqual(["result 9", "result 3", "result 6", "result 1"]);
    for (const n of [9, 3, 6, 1]) {
      const own = client.updates.filter((update) => "toolCallId" in update && update.toolCallId === `c${n}`);
      expect(own).toMatchObject([
        { status: "pending" },
        { status: "in_progress" },
        { content: [textContent(`result ${n}`)] },
      ]);
    }
  });
});
