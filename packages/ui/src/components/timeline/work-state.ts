// The state of a sub-agent's work in a few facts: what waits for the person comes before what runs.
import type { PermissionRow, ToolCallRow } from "@signalbox/protocol";

export interface WorkState {
  readonly count: number;
  readonly failed: number;
  /** The newest call that waits for the person, else the newest that has not ended. */
  readonly now: { readonly call: ToolCallRow; readonly isWaiting: boolean; readonly others: number } | null;
}

export function workState(calls: readonly ToolCallRow[], permissions: readonly PermissionRow[]): WorkState {
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
