import type { Register } from "@signalbox/tinyvex";
import { expect, it } from "vitest";
import { describeHistory } from "./describe-history.ts";

const word = { type: "message", thread_id: "t", role: "assistant", kind: "say", parent_tool_call_id: null };

/** A thread with these texts and files; what an agent is told of it. */
async function toldOf(texts: readonly string[], paths: readonly string[]): Promise<string> {
  const timeline = texts.map((text, seq) => ({ ...word, seq, text }));
  const rows = { "turns.list": [] };
  const register = {
    settled: async () => {},
    snapshot: async () => ({ timeline, thread: { id: "t", agent_id: "a", parent_thread_id: null } }),
    query: async (name: keyof typeof rows) => ({ rows: rows[name] }),
    getThread: async () => null,
  };
  const block = await describeHistory(
    { register: register as unknown as Register, agents: { find: () => undefined }, listFiles: async () => paths },
    "t",
  );
  return typeof block?.text === "string" ? block.text : "";
}

it("tells the newest that has place in 20,000 tokens, in any writing, and which files changed", async () => {
  const texts = (text: string) => Array.from({ length: 60 }, (_, index) => `${index} ${text}`);
  const files = Array.from({ length: 200 }, (_, index) => `/work/${"folder/".repeat(20)}${index}.ts`);
  const english = await toldOf(texts("word ".repeat(400)), files);
  expect(english.length).toBeGreaterThan(40_000);
  expect(english.length).toBeLessThanOrEqual(60_000);
  const chinese = await toldOf(texts("\u5b57".repeat(2000)), []);
  expect(chinese.length).toBeGreaterThan(12_000);
  expect(chinese.length).toBeLessThanOrEqual(20_000);
  for (const told of [english, chinese]) {
    expect(told).toContain("You: 59 ");
    expect(told).not.toContain("You: 0 ");
  }
  expect(english).toContain("/0.ts");
});

it("tells a fork that it goes on from another conversation, also where its agent said something before the first prompt", async () => {
  const timeline = [
    { ...word, seq: 1, text: "A server did not start." },
    { ...word, seq: 2, role: "user", text: "and now?" },
  ];
  const parent = { id: "p", parent_thread_id: null };
  const rows = { "timeline.list": [{ ...word, thread_id: "p", seq: 1, text: "Done." }] };
  const register = {
    settled: async () => {},
    snapshot: async () => ({
      timeline,
      thread: { id: "t", agent_id: "a", parent_thread_id: "p", fork: { before_seq: 9 }, created_at: 1 },
    }),
    query: async (name: string) => ({ rows: name === "timeline.list" ? rows[name] : [] }),
    getThread: async () => parent,
  };
  const block = await describeHistory(
    { register: register as unknown as Register, agents: { find: () => undefined }, listFiles: async () => [] },
    "t",
  );
  expect(block?.text).toMatch(/^This conversation goes on from an earlier one\. [^]*You: Done\./);
});
