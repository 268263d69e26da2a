// The words of the Agent Client Protocol that every room uses. Unions are open: what a newer agent sends is kept as sent.
import type { Json, JsonObject } from "./json.ts";

/** A string union that admits words nobody here knows yet. */
export type Open<Known extends string> = Known | (string & {});

export type ToolKind = Open<
  "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switch_mode" | "other"
>;

export type ToolCallStatus = Open<"pending" | "in_progress" | "completed" | "failed">;

export type StopReason = Open<"end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled">;

export type TextBlock = {
  readonly type: "text";
  readonly text: string;
  readonly _meta?: JsonObject;
};

/** A content block as ACP spells it: text, image, audio, resource_link, resource, or something newer. */
export type ContentBlock = TextBlock | ({ readonly type: string } & JsonObject);

export function isTextBlock(block: ContentBlock): block is TextBlock {
  return block.type === "text" && typeof block.text === "string";
}

/** What a tool call shows: `content` wraps a block; `diff` and `terminal` stand for themselves. */
export type ToolCallContent =
  | { readonly type: "content"; readonly content: ContentBlock }
  | { readonly type: "diff"; readonly path: string; readonly oldText?: string | null; readonly newText: string }
  | { readonly type: "terminal"; readonly terminalId: string }
  | ({ readonly type: string } & JsonObject);

export type ToolCallLocation = {
  readonly path: string;
  readonly line?: number | null;
};

export type PlanEntry = {
  readonly content: string;
  readonly priority: Open<"high" | "medium" | "low">;
  readonly status: Open<"pending" | "in_progress" | "completed">;
};

export type PermissionOption = {
  readonly optionId: string;
  readonly name: string;
  readonly kind: Open<"allow_once" | "allow_always" | "reject_once" | "reject_always">;
};

/** `session/update` params as the agent sent them. */
export type SessionNotification = {
  readonly sessionId: string;
  readonly update: { readonly sessionUpdate: string } & JsonObject;
  readonly [key: string]: Json | undefined;
};
