// What is said of an agent at work, and of one that is silent.
import type { ThreadView, TimelineItem } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { describeActivity, describeSilence } from "./describe-activity.ts";

function activityOf(...timeline: readonly object[]) {
  const turns = [{ status: "running", started_at: 1000 }] as unknown as ThreadView["turns"];
  const thread = { updated_at: 500 } as ThreadView["thread"];
  return describeActivity({ timeline: timeline as readonly TimelineItem[], turns, thread });
}

describe("the activity of an agent", () => {
  it("is waited for since the turn began", () => {
    expect(activityOf({ type: "message", role: "user" })).toEqual({
      label: "Waiting for the agent",
      since: 1000,
      silentSince: 1000,
    });
  });

  it("names a running call once, and does not call it silent", () => {
    const call = { type: "tool_call", status: "in_progress", created_at: 2000, started_at: 2500 };
    expect(activityOf({ ...call, title: "`make`" })).toEqual({ label: "Running make", since: 2500, silentSince: null });
    expect(activityOf({ ...call, title: "Running the build" }).label).toBe("Running the build");
  });

  it("is writing since the text began, and silent since its last word", () => {
    const text = { type: "message", role: "assistant", kind: "say", partial: true, created_at: 3000, updated_at: 9000 };
    expect(activityOf(text)).toEqual({ label: "Writing", since: 3000, silentSince: 9000 });
  });
});

describe("silence", () => {
  it("is mentioned after 20 s, with what is likely", () => {
    expect(describeSilence(0, 19_999)).toBeNull();
    expect(describeSilence(null, 600_000)).toBeNull();
    expect(describeSilence(0, 20_000)).toMatch(
      /nothing from the agent for 20 s\. It may be thinking, or trying its model again/,
    );
    expect(describeSilence(0, 200_000)).toContain("for 3 min");
  });
});
