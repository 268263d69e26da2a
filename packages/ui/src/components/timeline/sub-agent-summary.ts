// Summarises the calls of a sub-agent. A call that waits for the person is shown before one that runs.
import type { PermissionRow, ToolCallRow } from "@signalbox/protocol";

interface SubAgentSummary {
  readonly count: number;
  readonly failed: number;
  /** The newest call that waits for the person, else the newest unfinished one. */
  readonly now: { readonly call: ToolCallRow; readonly isWaiting: boolean; readonly others: number } | null;
}

export function subAgentSummary(calls: readonly ToolCallRow[], permissions: readonly PermissionRow[]): SubAgentSummary {
  const asked = new Set(permissions.filter((row) => row.status === "pending").map((row) => row.tool_call_id));
  const open = calls.filter((call) => call.ended_at === null);
  const waiting = open.filter((call) => asked.has(call.tool_call_id));
  const call = (waiting.length > 0 ? waiting : open).at(-1);
  return {
    count: calls.length,
    failed: calls.filter((one) => one.status === "failed").length,
    now: call === undefined ? null : { call, isWaiting: waiting.length > 0, others: open.length - 1 },
  };
}
