import type { PermissionRow, TimelineItem, ToolCallRow } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { subAgentSummary } from "./sub-agent-summary.ts";

const call = (tool_call_id: string, status: string) =>
  ({ tool_call_id, status, ended_at: status === "completed" || status === "failed" ? 1 : null }) as ToolCallRow;
const asked = (tool_call_id: string, status = "pending") => ({ tool_call_id, status }) as PermissionRow;

const work = (calls: readonly ToolCallRow[], items: readonly TimelineItem[] = []) => ({ calls, items });
const said = (text: string) => ({ type: "message", kind: "message", text }) as TimelineItem;

describe("the state of a sub-agent's work", () => {
  it("counts calls and failures, and names the newest that has not ended", () => {
    const calls = [call("a", "completed"), call("b", "failed"), call("c", "in_progress"), call("d", "pending")];
    expect(subAgentSummary(work(calls), [])).toMatchObject({
      done: [calls[0]],
      failed: 1,
      now: { call: calls[3], isWaiting: false, others: 1 },
    });
  });

  it("names what waits for the person before anything else", () => {
    const calls = [call("a", "pending"), call("b", "in_progress")];
    expect(subAgentSummary(work(calls), [asked("a")]).now).toMatchObject({ call: calls[0], isWaiting: true });
    expect(subAgentSummary(work(calls), [asked("a", "allowed"), asked("elsewhere")]).now).toMatchObject({
      call: calls[1],
      isWaiting: false,
    });
  });

  it("says nothing of now when all is done", () => {
    expect(subAgentSummary(work([call("a", "completed")]), []).now).toBeNull();
  });

  it("ends in the first line of its last text, once no call runs", () => {
    const texts = [said("I look."), said("Three callers.\nNone retries.")];
    expect(subAgentSummary(work([call("a", "completed")], texts), []).answer).toBe("Three callers.");
    expect(subAgentSummary(work([call("a", "in_progress")], texts), []).answer).toBeNull();
  });
});
