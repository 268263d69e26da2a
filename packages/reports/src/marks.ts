// Gives each state its mark, its colour and its wording, the same in every report.
import {
  type ElicitationRow,
  type MessageRow,
  type PermissionRow,
  stopReasonText,
  type TerminalRow,
  type ThreadStatus,
  type ToolCallStatus,
  type TurnRow,
  terminalEnding,
} from "@signalbox/protocol";
import type { Paint, Style } from "./layout.ts";

export function nameSpeaker(
  { role, parent_tool_call_id: parent }: Pick<MessageRow, "role" | "parent_tool_call_id">,
  agentId: string,
): string {
  if (role === "user") return "You";
  return parent === null ? agentId : `A sub-agent of ${agentId}`;
}

export function chooseThreadStyle(status: ThreadStatus, paint: Paint): Style {
  switch (status) {
    case "running":
      return paint.green;
    case "waiting":
      return paint.yellow;
    case "failed":
      return paint.red;
    case "interrupted":
      return paint.yellow;
    case "idle":
    case "closed":
      return paint.dim;
  }
}

/** An unknown status is shown as running. */
export function chooseToolCallMark(status: ToolCallStatus, paint: Paint): string {
  if (status === "completed") return paint.green("✓");
  if (status === "failed") return paint.red("✗");
  return paint.yellow("…");
}

/** How a turn ended; null when it ended normally. */
export function describeTurnEnding({ status, stop_reason, error }: TurnRow): string | null {
  switch (status) {
    case "failed":
      return `The turn failed: ${error?.message ?? "the agent gave no reason."}`;
    case "interrupted":
      return "The turn was interrupted: Signalbox stopped while it ran.";
    case "ended":
      return stop_reason === null || stop_reason === "end_turn"
        ? null
        : `The turn ended: ${stopReasonText(stop_reason)}.`;
    case "queued":
    case "running":
      return null;
  }
}

/** A terminal as it looks, for a file: the command, its output, and how it ended. */
export function formatTerminal(row: TerminalRow): string {
  const missing = row.output_offset > 0 ? "[only the end of the output is here]\n" : "";
  return `$ ${row.command}\n${missing}${row.output.trimEnd()}\n[${terminalEnding(row)}]`;
}

/** "allowed by rule command:git *", "denied". */
export function describePermission({ status, decided_by, rule }: PermissionRow): string {
  if (status === "pending") return "waiting for an answer";
  const by = rule === null ? decided_by : `rule ${rule}`;
  return by === null ? status.replaceAll("_", " ") : `${status.replaceAll("_", " ")} by ${by}`;
}

/** "Which port? (accepted by person: {"port":80})", "Which port? (cancelled: no answer in time)". */
export function describeElicitation({ message, status, content, decided_by, reason }: ElicitationRow): string {
  if (status === "pending") return `${message} (waiting for an answer)`;
  const answer = content === null ? "" : `: ${JSON.stringify(content)}`;
  return reason === null ? `${message} (${status} by ${decided_by}${answer})` : `${message} (${status}: ${reason})`;
}
