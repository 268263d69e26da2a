// Declares ACP's types as the register needs them. They come from ACP's SDK, with three differences: unions also accept newer words and kinds
// (what was sent is stored as sent), `_meta` is JSON instead of `unknown`, and everything is read-only.
import type * as acp from "@agentclientprotocol/sdk";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";

/** A string union that admits words that are not known yet. */
export type Open<Known extends string> = Known | (string & {});

export type ToolKind = Open<acp.ToolKind>;
export type ToolCallStatus = Open<acp.ToolCallStatus>;
export type StopReason = Open<acp.StopReason>;

export type TextBlock = Readonly<Pick<acp.TextContent, "text">> & {
  readonly type: "text";
  readonly _meta?: JsonObject;
};

/** Text, image, audio, resource_link, resource, or something newer. */
export type ContentBlock = TextBlock | ({ readonly type: acp.ContentBlock["type"] | (string & {}) } & JsonObject);

/** The content of a tool call: `content` wraps a block; `diff` and `terminal` stand for themselves. */
export type ToolCallContent =
  | { readonly type: "content"; readonly content: ContentBlock }
  | ({ readonly type: "diff" } & Readonly<Pick<acp.Diff, "path" | "oldText" | "newText">>)
  | ({ readonly type: "terminal" } & Readonly<Pick<acp.Terminal, "terminalId">>)
  | ({ readonly type: string } & JsonObject);

export type ToolCallLocation = Readonly<Pick<acp.ToolCallLocation, "path" | "line">>;

export type PlanEntry = Readonly<Pick<acp.PlanEntry, "content">> & {
  readonly priority: Open<acp.PlanEntryPriority>;
  readonly status: Open<acp.PlanEntryStatus>;
};

export type PermissionOption = Readonly<Pick<acp.PermissionOption, "optionId" | "name">> & {
  readonly kind: Open<acp.PermissionOptionKind>;
};

/** `session/update` params as the agent sent them: the SDK's type would drop what it does not know. */
export type SessionNotification = {
  readonly sessionId: string;
  readonly update: { readonly sessionUpdate: string } & JsonObject;
  readonly [key: string]: Json | undefined;
};

export function isTextBlock(block: ContentBlock): block is TextBlock {
  return block.type === "text" && typeof block.text === "string";
}

export function isContentBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value.type === "string";
}

export function isToolCallContent(value: Json): value is ToolCallContent {
  return isJsonObject(value) && typeof value.type === "string";
}

export function isToolCallLocation(value: Json): value is ToolCallLocation & JsonObject {
  return isJsonObject(value) && typeof value.path === "string";
}

export function isPlanEntry(value: Json): value is PlanEntry & JsonObject {
  return isJsonObject(value) && typeof value.content === "string";
}

export function isPermissionOption(value: Json): value is PermissionOption & JsonObject {
  return isJsonObject(value) && typeof value.optionId === "string";
}
