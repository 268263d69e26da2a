import { expect, it } from "vitest";
import { recordingClient } from "../../test-support/recording-client.ts";
import { textContent } from "../content/content.ts";
import { ToolCallStats } from "./stats.ts";
import { ToolCallTracker } from "./tracker.ts";

it("sums up what a tracker reports, by tool, the most used first", () => {
  const stats = new ToolCallStats();
  const tracker = new ToolCallTracker({
    client: recordingClient(),
    sessionId: "s",
    cwd: "/project",
    onSettled: stats.add,
  });
  for (const text of ["ab", "c"]) {
    const call = tracker.announce({ name: "read", args: { path: "a" } }).start();
    if (call.status === "in_progress") call.complete({ content: [textContent(text)] });
  }
  tracker.announce({ name: "bash" }).deny("no");
  tracker.announce({ name: "read" }).cancel("stop");
  tracker.announce({ name: "read" }).fail("broke");

  expect(stats.all().map(({ name }) => name)).toEqual(["read", "bash"]);
  const read = stats.of("read");
  expect(read).toMatchObject({ calls: 4, completed: 2, failed: 1, cancelled: 1, denied: 0, outputSize: 3 + 4 + 5 });
  expect(read.maxMs).toBeLessThanOrEqual(read.totalMs);
  expect(stats.of("bash")).toMatchObject({ calls: 1, denied: 1, totalMs: 0 });
  expect(stats.of("never")).toMatchObject({ calls: 0 });
});
