import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AgentActivity } from "../agents/agent-activity.ts";
import { StartLimit } from "./start-limit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A start that never gets an answer; says how it ended, or null. */
function muteStart() {
  const activity = new AgentActivity();
  const limit = new StartLimit(60_000, activity);
  const ended: string[] = [];
  limit
    .within("Fake", "initialize", "Starting Fake …", () => new Promise<never>(() => {}))
    .catch((error: Error) => ended.push(error.message));
  return { activity, limit, ended };
}

it("ends a mute agent with a sentence, and shows the limit before", async () => {
  const { activity, ended } = muteStart();
  const { step } = activity.describeRow("t", "Fake", 1);
  expect(step).toMatchObject({ text: "Starting Fake …" });
  expect((step?.ends_at ?? 0) - (step?.since ?? 0)).toBe(60_000);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(1500);
  expect(ended).toEqual([
    expect.stringMatching(/^Fake did not answer initialize within 60 s, so it was stopped\..*It printed nothing\.$/),
  ]);
  expect(activity.describeRow("t", "Fake", 1).step).toBeNull();
});

it("waits longer for one that prints something, but not for ever, and says what it printed", async () => {
  const { activity, ended } = muteStart();
  for (let minute = 0; minute < 9; minute++) {
    await vi.advanceTimersByTimeAsync(50_000);
    activity.addOutput("downloading …\n");
  }
  expect(ended).toEqual([]);
  for (let minute = 0; minute < 4; minute++) {
    await vi.advanceTimersByTimeAsync(50_000);
    activity.addOutput("downloading …\n");
  }
  expect(ended).toEqual([expect.stringMatching(/within 600 s[^]*downloading …$/)]);
});

it("gives the whole time again when a person wants to wait", async () => {
  const { limit, ended } = muteStart();
  await vi.advanceTimersByTimeAsync(50_000);
  limit.extend();
  await vi.advanceTimersByTimeAsync(50_000);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(ended).toHaveLength(1);
});

it("gives the answer when it comes", async () => {
  const limit = new StartLimit(60_000, new AgentActivity());
  expect(await limit.within("Fake", "initialize", "Starting …", async () => 7)).toBe(7);
  expect(vi.getTimerCount()).toBe(0);
});
