// Makes the updates that are not an agent's: the host, importers and tests write them in the form in which agents do.
import type * as acp from "@agentclientprotocol/sdk";
import type { ContentBlock, PlanEntry } from "./acp.ts";
import type { Json, JsonObject } from "./json.ts";
import type { ToolCallFields } from "./tool-call-fields.ts";
import type { ChunkKind } from "./update.ts";

/** The `update` of a notification. */
export type UpdateFields = JsonObject & { readonly sessionUpdate: string };

/** The fields of a tool call, also with ACP's own types: those are JSON, though TypeScript cannot tell. */
type CallToSend = Omit<ToolCallFields, "content" | "locations"> & {
  readonly content?: readonly (Json | acp.ToolCallContent)[] | undefined;
  readonly locations?: readonly (Json | acp.ToolCallLocation)[] | undefined;
};

export function makeChunk(kind: ChunkKind, content: ContentBlock, messageId: string | null = null): UpdateFields {
  return { sessionUpdate: kind, content, ...(messageId !== null && { messageId }) };
}

/** Announces a tool call: it gets a place in the timeline. */
export function makeToolCall(call: CallToSend): UpdateFields {
  return { sessionUpdate: "tool_call", ...(call as ToolCallFields) };
}

/** Changes fields of a tool call; those that are left out stay. */
export function makeToolCallUpdate(call: CallToSend): UpdateFields {
  return { sessionUpdate: "tool_call_update", ...(call as ToolCallFields) };
}

export function makePlan(entries: readonly PlanEntry[]): UpdateFields {
  return { sessionUpdate: "plan", entries };
}

export function makeNotice(title: string, description: string): UpdateFields {
  return { sessionUpdate: "notice", title, description };
}

export function makeModeUpdate(currentModeId: string): UpdateFields {
  return { sessionUpdate: "current_mode_update", currentModeId };
}

export function makeConfigOptionsUpdate(configOptions: Json): UpdateFields {
  return { sessionUpdate: "config_option_update", configOptions };
}
