// Tests kill -9 of the host and of the agent at any moment: what was shown is stored, everything open has ended, and nothing is left
// running.
import { describe, expect, it } from "vitest";
import { type Step, toolCall } from "../support/fake-agent/script.ts";
import { submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { isRunning } from "../support/processes.ts";
import { rounds } from "../support/rounds.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

/** Text, tool calls and pauses, so that a kill falls between and into all of them. */
const story: readonly Step[] = Array.from({ length: 60 }, (_, index): readonly Step[] => [
  { say: `word ${index} `, times: 20 },
  ...(index % 5 === 0 ? [toolCall(`c${index}`, { status: "in_progress" })] : []),
  { wait: 5 },
]).flat();

/** The items as a screen has them; a text only as far as it has come. */
function shownBy(screen: TestScreen, threadId: string) {
  return viewOf(screen.received, threadId).timeline.map((item) =>
    item.type === "message" ? { seq: item.seq, text: item.text } : { seq: item.seq, text: item.tool_call_id },
  );
}

async function agentPid(screen: TestScreen, threadId: string): Promise<number> {
  const args = { thread_id: threadId, limit: 5, after_seq: 0 };
  const events = await screen.request({ control: "tvx.query", name: "events.list", args });
  return Number(/fake-session-(\d+)/.exec(JSON.stringify(events))?.[1]);
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const moments = Array.from({ length: rounds({ some: 2, all: 10 }) }, () => Math.floor(Math.random() * 350));

describe("kill -9 while an agent streams", () => {
  it.each(moments)("[R1] [R8] of the host, after %i ms", async (moment) => {
    // One host, killed again and again: each time it opens what all the deaths before left behind.
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const pid = await agentPid(screen, threadId);
    await submit(screen, threadId, ...story);
    await pause(moment);
    await host.restart("SIGKILL");
    const before = shownBy(screen, threadId);
    const again = await host.screen();
    await again.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId, limit: 1000 });
    const view = viewOf(again.received, threadId);
    const stored = shownBy(again, threadId);
    for (const [index, item] of before.entries()) {
      expect(stored[index]?.seq).toBe(item.seq);
      expect(stored[index]?.text.startsWith(item.text)).toBe(true);
    }
    // A prompt that the agent did not get yet is held back for the person.
    const begun = view.turns.filter(({ status }) => status !== "queued");
    expect(begun.every((turn) => turn.ended_at !== null)).toBe(true);
    expect(view.timeline.every((item) => (item.type === "message" ? !item.partial : item.ended_at !== null))).toBe(
      true,
    );
    expect(["interrupted", "idle"]).toContain(view.thread.status);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it.each(moments)("[R5] [R7] of the agent, after %i ms", async (moment) => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const pid = await agentPid(screen, threadId);
    // The turn does not end before the kill: a next prompt that the dying agent still gets would fail with it.
    const turnId = await submit(screen, threadId, ...story, { wait: 60_000 });
    await pause(moment);
    process.kill(pid, "SIGKILL");
    const turn = await turnEnd(screen, turnId);
    expect(turn.status).toBe("failed");
    expect(turn.error?.message).toContain("SIGKILL");
    const { timeline, gap } = viewOf(screen.received, threadId);
    expect(gap).toBe(false);
    expect(timeline.every((item) => (item.type === "message" ? !item.partial : item.ended_at !== null))).toBe(true);
    const late = await host.screen();
    await late.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId, limit: 1000 });
    expect(shownBy(late, threadId)).toEqual(shownBy(screen, threadId));
    const next = await submit(screen, threadId, { say: "back" });
    expect(await turnEnd(screen, next)).toMatchObject({ stop_reason: "end_turn" });
  });
});
