// Turns the timeline of a thread into assistant-ui's messages: what the agent does between two prompts is one message with parts.
import type { ThreadMessageLike } from "@assistant-ui/react";
import {
  isJsonObject,
  nestHostItems,
  type PermissionRow,
  type PermissionStatus,
  type TimelineItem,
  type ToolCallRow,
} from "@signalbox/protocol";

type Part = Exclude<ThreadMessageLike["content"], string>[number];
type Approval = NonNullable<Extract<Part, { type: "tool-call" }>["approval"]>;

interface Session {
  readonly items: readonly TimelineItem[];
  readonly permissions: readonly PermissionRow[];
  readonly isRunning: boolean;
}

export function toMessages({ items, permissions, isRunning }: Session): readonly ThreadMessageLike[] {
  const messages: { -readonly [Key in keyof ThreadMessageLike]: ThreadMessageLike[Key] }[] = [];
  let parts: Part[] | null = null;
  for (const item of nestHostItems(items).items) {
    const createdAt = new Date(item.created_at);
    const id = `${item.thread_id}-${item.seq}`;
    if (item.type === "message" && item.role === "user") {
      parts = null;
      messages.push({ role: "user", id, createdAt, content: [{ type: "text", text: item.text }] });
      continue;
    }
    if (parts === null) {
      parts = [];
      messages.push({ role: "assistant", id, createdAt, content: parts, status: { type: "complete", reason: "stop" } });
    }
    parts.push(partOf(item, permissions));
  }
  const last = messages.at(-1);
  if (isRunning && last?.role === "assistant") last.status = statusWhileRunning(parts ?? []);
  return messages;
}

function statusWhileRunning(parts: readonly Part[]): ThreadMessageLike["status"] {
  const waits = parts.some(
    (part) =>
      part.type === "tool-call" &&
      part.approval !== undefined &&
      part.approval.approved === undefined &&
      part.approval.resolution === undefined,
  );
  return waits ? { type: "requires-action", reason: "tool-calls" } : { type: "running" };
}

function partOf(item: TimelineItem, permissions: readonly PermissionRow[]): Part {
  if (item.type === "message") return { type: item.kind === "reason" ? "reasoning" : "text", text: item.text };
  const asked = permissions.findLast((row) => row.tool_call_id === item.tool_call_id);
  const hasEnded = item.status === "completed" || item.status === "failed";
  return {
    type: "tool-call",
    toolCallId: item.tool_call_id,
    toolName: item.name ?? item.title,
    // assistant-ui takes objects only; another input is still shown by `argsText`.
    ...(isJsonObject(item.raw_input) ? { args: item.raw_input as Record<string, never> } : {}),
    argsText: JSON.stringify(item.raw_input ?? {}),
    artifact: item,
    ...(hasEnded ? { result: resultOf(item), isError: item.status === "failed" } : {}),
    ...(asked === undefined ? {} : { approval: approvalOf(asked) }),
  };
}

/** What the tool gave back: its own output, or the texts that it showed. */
function resultOf({ raw_output, content }: ToolCallRow): unknown {
  if (raw_output !== null) return raw_output;
  return content
    .flatMap((part) => ("content" in part && isJsonObject(part.content) ? [part.content.text] : []))
    .filter((text) => typeof text === "string")
    .join("\n");
}

function approvalOf({ permission_id, options, option_id, status, comment }: PermissionRow): Approval {
  return {
    id: permission_id,
    options: options.map(({ optionId, name, kind }) => ({ id: optionId, label: name, kind: kindOf(kind) })),
    ...(option_id === null ? {} : { optionId: option_id }),
    ...(comment === null ? {} : { reason: comment }),
    ...decided[status],
  };
}

const decided: Readonly<Record<PermissionStatus, Partial<Approval>>> = {
  pending: {},
  allowed: { approved: true },
  denied: { approved: false },
  cancelled: { resolution: "cancelled" },
  timed_out: { resolution: "expired" },
};

function kindOf(kind: string): "allow-once" | "allow-always" | "reject-once" | "reject-always" {
  switch (kind) {
    case "allow_once":
      return "allow-once";
    case "allow_always":
      return "allow-always";
    case "reject_always":
      return "reject-always";
    default:
      // What is not known to be a yes is shown as a no.
      return "reject-once";
  }
}
