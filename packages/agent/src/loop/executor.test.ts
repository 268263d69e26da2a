// How the calls of one answer are run: which side by side, which alone, and what comes of those that go wrong.
import { SerialQueue } from "@signalbox/base";
import { allow, deny, ToolCallTracker } from "@signalbox/tool-calls";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ToolResultPart } from "../providers/model.ts";
import { type Tool, type ToolContext, type ToolResult, textResult } from "../tools/tool.ts";
import type { Workspace } from "../tools/workspace.ts";
import { runCalls } from "./executor.ts";
import { History } from "./history.ts";
import { Steering } from "./steering.ts";
import type { CallPermissions, Turn } from "./turn.ts";

function tool(name: string, readOnly: boolean, execute: (context: ToolContext) => Promise<ToolResult>): Tool {
  return {
    name,
    kind: "other",
    description: "",
    input: z.object({}),
    readOnly,
    describe: () => ({ title: name }),
    execute: (_input, context) => execute(context),
  };
}

class Stage {
  readonly updates: { readonly id: string; readonly status: string | undefined }[] = [];
  readonly controller = new AbortController();
  readonly tracker = new ToolCallTracker({
    client: {
      sessionUpdate: ({ update }) => {
        if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") return;
        this.updates.push({ id: update.toolCallId, status: update.status ?? undefined });
      },
    },
    sessionId: "s",
    cwd: "/",
  });
  permissions: CallPermissions = { decide: allow, forbids: () => null, asksAboutReading: () => false };
  toolTimeoutMs = 1000;
  contextWindow: number | undefined;

  async run(
    tools: readonly Tool[],
    names: readonly string[] = tools.map(({ name }) => name),
  ): Promise<ToolResultPart[]> {
    const { signal } = this.controller;
    const turn: Turn = {
      model: { provider: "p", name: "m", contextWindow: this.contextWindow, facts: {}, stream: () => ({}) as never },
      request: { system: "", thinking: "off", maxOutputTokens: 1 },
      conversation: {
        history: new History([], { appended: () => {}, replaced: () => {} }),
        steering: new Steering(),
        compact: async () => {},
      },
      tools: {
        list: () => tools,
        workspace: { cwd: "/", keepOutput: async () => "/all.txt" } as unknown as Workspace,
        permissions: this.permissions,
        instructionsBelow: async () => "",
        changes: new SerialQueue(),
      },
      limits: { max_turns: 1, tool_timeout_s: this.toolTimeoutMs / 1000 },
      output: {
        tracker: this.tracker,
        showText: () => undefined,
        showThought: () => undefined,
        showNotice: () => {},
        used: () => {},
        spent: () => {},
        cost: () => null,
        contextTokens: () => 0,
      },
      signal,
    };
    const calls = names.map((name, index) => ({
      id: `${index}`,
      name,
      input: {},
      invalid: undefined,
      pending: this.tracker.announce({ name, id: `${index}`, signal }),
    }));
    const results: ToolResultPart[] = [];
    await runCalls(calls, turn, (_call, result) => results.push(result));
    return results.toSorted((a, b) => Number(a.id) - Number(b.id));
  }

  /** How each call ended. */
  get ends(): readonly (string | undefined)[] {
    const ends = new Map(this.updates.map(({ id, status }) => [id, status]));
    return [...ends.entries()].toSorted(([a], [b]) => Number(a) - Number(b)).map(([, status]) => status);
  }
}

const textOf = (result: ToolResultPart | undefined) =>
  result?.content.map((part) => (part.type === "text" ? part.text : "")).join("");

describe("the executor", () => {
  it("runs neighbours that only read side by side", async () => {
    const stage = new Stage();
    // Each waits for the other: one after the other they would never end.
    const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const meet = (own: PromiseWithResolvers<void>, other: Promise<void>, text: string) => async () => {
      own.resolve();
      await other;
      return textResult(text);
    };
    const results = await stage.run([
      tool("a", true, meet(one, two.promise, "first")),
      tool("b", true, meet(two, one.promise, "second")),
    ]);
    expect(results.map(textOf)).toEqual(["first", "second"]);
  });

  it("runs everything else alone and in order", async () => {
    const stage = new Stage();
    const log: string[] = [];
    const step = (name: string, readOnly: boolean) =>
      tool(name, readOnly, async () => {
        log.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${name} ends`);
        return textResult(name);
      });
    await stage.run([step("read", true), step("write", false), step("run", false), step("look", true)]);
    expect(log).toEqual(["read", "write", "run", "look"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it("gives a model with a small window less of a long result: both ends, and the file with all of it", async () => {
    const stage = new Stage();
    stage.contextWindow = 32_768;
    const long = `first${"x".repeat(90_000)}last`;
    const big = { ...tool("big", true, async () => textResult(long)), outputLimit: 100_000, keepsBothEnds: true };
    const small = textOf((await stage.run([big]))[0]) ?? "";
    expect(small.length).toBeLessThan(33_000);
    expect(small).toMatch(/^first.*\/all\.txt.*last$/s);
    stage.contextWindow = 200_000;
    expect(textOf((await stage.run([big]))[0])).toBe(long);
  });

  it("ends a call whose tool throws, and goes on", async () => {
    const stage = new Stage();
    const results = await stage.run([
      tool("bad", false, () => Promise.reject(new Error("it is broken"))),
      tool("good", false, async () => textResult("fine")),
    ]);
    expect(results).toMatchObject([{ isError: true }, { isError: false }]);
    expect(textOf(results[0])).toBe("bad failed: it is broken");
    expect(stage.ends).toEqual(["failed", "completed"]);
  });

  it("does not run what is denied, and tells the model why", async () => {
    const stage = new Stage();
    stage.permissions = { decide: () => deny("not today"), forbids: () => null, asksAboutReading: () => false };
    let ran = false;
    const results = await stage.run([
      tool("act", false, async () => {
        ran = true;
        return textResult("");
      }),
    ]);
    expect(ran).toBe(false);
    expect(results).toMatchObject([{ isError: true, content: [{ text: "not today" }] }]);
  });

  it("stops waiting for a tool that ignores its time limit", async () => {
    const stage = new Stage();
    stage.toolTimeoutMs = 20;
    const results = await stage.run([tool("deaf", true, () => new Promise(() => {}))]);
    expect(textOf(results[0])).toContain("took longer than 0.02 seconds");
    expect(stage.ends).toEqual(["failed"]);
  });

  it("takes what a tool can still say when its time is up", async () => {
    const stage = new Stage();
    stage.toolTimeoutMs = 20;
    const late = tool("late", true, async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { ...textResult(`half of it, ${(signal.reason as Error).name}`), isError: true };
    });
    expect(textOf((await stage.run([late]))[0])).toBe("half of it, TimeoutError");
  });

  it("does not count the time that a person takes to answer", async () => {
    const stage = new Stage();
    stage.toolTimeoutMs = 50;
    stage.permissions = {
      forbids: () => null,
      asksAboutReading: () => false,
      decide: async ({ tool: asked }) => {
        if (asked === "network") await new Promise((resolve) => setTimeout(resolve, 120));
        return allow();
      },
    };
    const asking = tool("asking", true, async ({ ask }) => {
      const { allowed } = await ask({ tool: "network", kind: "fetch", title: "", args: {} });
      return textResult(`${allowed}`);
    });
    expect(textOf((await stage.run([asking]))[0])).toBe("true");
  });

  it("waits for no tool when the turn is cancelled", async () => {
    const stage = new Stage();
    const running = stage.run([tool("deaf", true, () => new Promise(() => {}))]);
    const reason = new Error("cancelled");
    setImmediate(() => stage.controller.abort(reason));
    await expect(running).rejects.toBe(reason);
    expect(stage.ends).toEqual(["failed"]);
  });

  it("truncates text at the tool's limit, over all of its parts", async () => {
    const stage = new Stage();
    const long: Tool = {
      ...tool("long", true, async () => ({
        content: [
          { type: "text", text: "12345" },
          { type: "text", text: "67890" },
          { type: "text", text: "never" },
        ],
      })),
      outputLimit: 7,
    };
    expect((await stage.run([long]))[0]?.content).toEqual([
      { type: "text", text: "12345" },
      { type: "text", text: "67\n[output truncated]" },
    ]);
  });
});
