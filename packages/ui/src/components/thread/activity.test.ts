import type { ThreadRow, TimelineItem, TurnRow } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { describeActivity, describeSilence, formatElapsed } from "./activity.ts";

const activity = (...timeline: object[]) =>
  describeActivity({
    timeline: timeline as TimelineItem[],
    turns: [{ status: "running", started_at: 10 } as TurnRow],
    thread: { updated_at: 20 } as ThreadRow,
  });
const running = (title: string) => ({ type: "tool_call", status: "in_progress", title, started_at: 5 });

it("names the call that runs, once", () => {
  expect(activity(running("`npm test`"))).toEqual({ label: "Running npm test", since: 5, silentSince: null });
  expect(activity(running("Running the long build")).label).toBe("Running the long build");
});

it("says whether the agent thinks, writes, or has not answered yet", () => {
  const text = { type: "message", role: "agent", kind: "message", partial: true, created_at: 7, updated_at: 9 };
  expect(activity(text)).toEqual({ label: "Writing", since: 7, silentSince: 9 });
  expect(activity({ ...text, kind: "reason" }).label).toBe("Thinking");
  expect(activity({ type: "message", role: "user" })).toMatchObject({ label: "Waiting for the agent", since: 10 });
});

it("mentions silence after 20 s, but not that of a running call", () => {
  expect(describeSilence(0, 19_999)).toBeNull();
  expect(describeSilence(null, 600_000)).toBeNull();
  expect(describeSilence(0, 25_000)).toMatch(
    /^Nothing from the agent for 25 s\. It may be thinking, or trying its model/,
  );
});

it("counts from the third second on", () => {
  expect([1999, 12_900, 72_000].map(formatElapsed)).toEqual(["", "12 s", "1 min 12 s"]);
});
