// Summarises the work of a sub-agent. A call that waits for the person is shown before one that runs.
import type { PermissionRow, ToolCallRow } from "@signalbox/protocol";
import type { Work } from "../../hooks/sub-agents.ts";

interface SubAgentSummary {
  /** The calls that ended well. */
  readonly done: readonly ToolCallRow[];
  readonly failed: number;
  /** The newest call that waits for the person, else the newest unfinished one. */
  readonly now: { readonly call: ToolCallRow; readonly isWaiting: boolean; readonly others: number } | null;
  /** The first line of its last text, once no call runs. */
  readonly answer: string | null;
}

export function subAgentSummary(
  { calls, items }: Pick<Work, "calls" | "items">,
  permissions: readonly PermissionRow[],
): SubAgentSummary {
  const asked = new Set(permissions.filter((row) => row.status === "pending").map((row) => row.tool_call_id));
  const open = calls.filter((call) => call.ended_at === null);
  const waiting = open.filter((call) => asked.has(call.tool_call_id));
  const call = (waiting.length > 0 ? waiting : open).at(-1);
  const said = items.findLast((item) => item.type === "message" && item.kind === "message" && item.text.trim() !== "");
  return {
    done: calls.filter(({ ended_at, status }) => ended_at !== null && status !== "failed"),
    failed: calls.filter(({ status }) => status === "failed").length,
    now: call === undefined ? null : { call, isWaiting: waiting.length > 0, others: open.length - 1 },
    answer: said?.type === "message" && call === undefined ? (said.text.trim().split("\n")[0] ?? null) : null,
  };
}
