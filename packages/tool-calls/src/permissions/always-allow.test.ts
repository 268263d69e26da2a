import { expect, it, vi } from "vitest";
import { recordingClient } from "../../test-support/recording-client.ts";
import { ToolCallTracker } from "../calls/tracker.ts";
import { withToolCalls } from "../with-tool-calls.ts";

it("is the default, and says so once in the log, however many sessions use it", async () => {
  const log = vi.fn<(message: string) => void>();
  for (const sessionId of ["a", "b"]) {
    const tracker = new ToolCallTracker({ client: recordingClient(), sessionId, cwd: "/project", log });
    const callTool = withToolCalls(() => "done", { tracker });
    expect(await callTool("bash", {})).toBe("done");
    expect(await callTool("bash", {})).toBe("done");
  }
  expect(log).toHaveBeenCalledTimes(1);
  expect(log).toHaveBeenCalledWith(expect.stringContaining("allowed without asking"));
});
