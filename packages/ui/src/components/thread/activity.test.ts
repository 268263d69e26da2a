import type { ThreadRow, TimelineItem, TurnRow } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { describeActivity, formatElapsed } from "./activity.ts";

const activity = (...timeline: object[]) =>
  describeActivity({
    timeline: timeline as TimelineItem[],
    turns: [{ status: "running", started_at: 10 } as TurnRow],
    thread: { updated_at: 20 } as ThreadRow,
  });
const running = (title: string) => ({ type: "tool_call", status: "in_progress", title, started_at: 5 });

it("names the call that runs, once", () => {
  expect(activity(running("`npm test`"))).toEqual({ label: "Running npm test", since: 5 });
  expect(activity(running("Running the long build")).label).toBe("Running the long build");
});

it("says whether the agent thinks, writes, or has not answered yet", () => {
  const text = { type: "message", role: "agent", kind: "message", partial: true, created_at: 7 };
  expect(activity(text)).toEqual({ label: "Writing", since: 7 });
  expect(activity({ ...text, kind: "reason" }).label).toBe("Thinking");
  expect(activity({ type: "message", role: "user" })).toEqual({ label: "Waiting for the agent", since: 10 });
});

it("counts from the third second on", () => {
  expect([1999, 12_900, 72_000].map(formatElapsed)).toEqual(["", "12 s", "1 min 12 s"]);
});
