import type { SessionNotification } from "@agentclientprotocol/sdk";
import { ToolCallTracker } from "@signalbox/tool-calls";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ModelEvent } from "../providers/model.ts";
import { infer } from "./inference.ts";
import type { Turn } from "./turn.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const retry = (waitMs: number, attempt: number): ModelEvent => ({
  type: "retry",
  reason: "overloaded.",
  waitMs,
  attempt,
  maxAttempts: 10,
});
const finish: ModelEvent = { type: "finish", reason: "stop", usage: null, message: [] };

/** What the client is told while the model goes through these events, each after its time. */
function watch(events: readonly (readonly [afterMs: number, event: ModelEvent | Error])[]) {
  const updates: SessionNotification["update"][] = [];
  const notices: string[] = [];
  const tracker = new ToolCallTracker({
    client: { sessionUpdate: async ({ update }: SessionNotification) => void updates.push(update) },
    sessionId: "s",
    cwd: "/",
  });
  async function* stream(): AsyncIterable<ModelEvent> {
    for (const [afterMs, event] of events) {
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      if (event instanceof Error) throw event;
      yield event;
    }
  }
  const turn = {
    model: { provider: "anthropic", name: "m", contextWindow: undefined, facts: {}, stream },
    output: { tracker, showNotice: (text: string) => notices.push(text) },
    signal: new AbortController().signal,
  } as unknown as Turn;
  const answer = infer(turn, {} as never, { text: "" });
  const messages = () =>
    updates.flatMap(({ _meta }) => {
      const report = _meta?.["signalbox/progress"] as { message?: string } | undefined;
      return report?.message ?? [];
    });
  return { updates, notices, messages, answer };
}

it("counts the seconds down, says which try comes, and is one call for all tries", async () => {
  const { updates, notices, messages, answer } = watch([
    [0, retry(3000, 1)],
    [5000, retry(4000, 2)],
    [4000, finish],
  ]);
  await vi.advanceTimersByTimeAsync(10_000);
  await answer;
  expect(messages()).toEqual([
    "tries again in 3 s, try 2 of 10",
    "tries again in 2 s, try 2 of 10",
    "tries again in 1 s, try 2 of 10",
    "asks again, try 2 of 10",
    "asks again, try 2 of 10",
    "tries again in 4 s, try 3 of 10",
    "tries again in 3 s, try 3 of 10",
    "tries again in 2 s, try 3 of 10",
    "tries again in 1 s, try 3 of 10",
  ]);
  const titles = updates.map((update) => ("title" in update ? update.title : undefined));
  expect(titles).toContain("Waiting for anthropic: tries again in 2 s, try 3 of 10");
  expect(titles.at(-1)).toBe("Waiting for anthropic");
  expect(notices).toEqual([
    "overloaded. Asking again in 3 seconds, try 2 of 10.",
    "overloaded. Asking again in 4 seconds, try 3 of 10.",
  ]);
  expect(updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toHaveLength(1);
  expect(updates.at(-1)).toMatchObject({ status: "completed" });
});

it("ends with the last try, and says nothing of a short wait", async () => {
  const failing = watch([
    [0, retry(3000, 9)],
    [3000, new Error("gone")],
  ]);
  const failed = expect(failing.answer).rejects.toThrow("gone");
  await vi.advanceTimersByTimeAsync(3000);
  await failed;
  expect(failing.updates.at(-1)).toMatchObject({ status: "failed" });
  expect(JSON.stringify(failing.updates.at(-1))).toContain("anthropic did not answer.");
  const short = watch([
    [0, retry(500, 1)],
    [500, finish],
  ]);
  await vi.advanceTimersByTimeAsync(1000);
  await short.answer;
  expect(short.updates).toEqual([]);
});
