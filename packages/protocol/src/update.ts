// Reads a `session/update` once, where its line is parsed. Code behind it switches on `type` and finds checked fields; `raw` is the value as it was
// sent, shared and never copied, so unknown kinds and fields stay whole.
import { type ContentBlock, isContentBlock, isPlanEntry, type PlanEntry } from "./acp.ts";
import { assertNever, isJsonObject, type Json, type JsonObject } from "./json.ts";
import { compactionCall, noticeText, type PlanWithId, readPlan } from "./newer-updates.ts";
import { readSubAgent, type SubAgentAnnouncement } from "./sub-agents.ts";
import { readToolCall, type ToolCallFields } from "./tool-call-fields.ts";

export type ChunkKind = "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk";

/** The part that every well-formed update has. */
interface SentUpdate<Type extends string, Kind extends string = string> {
  readonly type: Type;
  /** ACP's word for it, as the agent sent it. */
  readonly kind: Kind;
  /** Null where the agent names no session. */
  readonly sessionId: string | null;
  /** The params of the notification. */
  readonly raw: JsonObject;
  /** `raw.update`. */
  readonly fields: JsonObject;
}

export interface MessageChunk extends SentUpdate<"message_chunk", ChunkKind> {
  readonly content: ContentBlock;
  readonly messageId: string | null;
}

export interface ToolCallUpdate extends SentUpdate<"tool_call"> {
  /** True for `tool_call`, false for `tool_call_update`. */
  readonly isAnnouncement: boolean;
  readonly call: ToolCallFields;
}

/** One message between a session and its sub-agent, or a part of one. */
export interface SessionMessage extends SentUpdate<"session_message"> {
  readonly blocks: readonly ContentBlock[];
  readonly messageId: string | null;
}

export interface CompactionUpdate extends SentUpdate<"compaction"> {
  /** The compaction as a tool call, which has no other word for `cancelled` than `failed`. */
  readonly call: ToolCallFields;
  readonly isRunning: boolean;
}

export interface SubAgentUpdate extends SentUpdate<"sub_agent"> {
  /** Null where it names no session that could be a row's key. */
  readonly announced: SubAgentAnnouncement | null;
}

export interface UsageUpdate extends SentUpdate<"usage"> {
  /** The cost of the session so far. */
  readonly cost: { readonly amount: number; readonly currency: string } | null;
}

/** An update without a field that its kind must have, or something that is no update at all: the log has it, and nothing else does. */
export interface MalformedUpdate {
  readonly type: "malformed";
  /** Empty where it has none. */
  readonly kind: string;
  readonly sessionId: string | null;
  readonly raw: Json | undefined;
}

export type Update =
  | MessageChunk
  | ToolCallUpdate
  | (SentUpdate<"plan"> & { readonly entries: readonly PlanEntry[] })
  /** One of several plans; null where it is of a form that is not known. */
  | (SentUpdate<"plan_with_id"> & { readonly plan: PlanWithId | null })
  | (SentUpdate<"mode"> & { readonly modeId: string })
  | (SentUpdate<"config_options"> & { readonly configOptions: Json })
  | (SentUpdate<"commands"> & { readonly commands: Json })
  | UsageUpdate
  | (SentUpdate<"session_info"> & { readonly title: string | null })
  | SubAgentUpdate
  | SessionMessage
  | (SentUpdate<"notice"> & { readonly text: string })
  | CompactionUpdate
  | SentUpdate<"compaction_summary">
  /** A kind that is not known here, or a known one that says nothing. */
  | SentUpdate<"other">
  | MalformedUpdate;

/** Never throws, whatever an agent sends. */
export function readUpdate(params: Json | undefined): Update {
  if (!isJsonObject(params)) return { type: "malformed", kind: "", sessionId: null, raw: params };
  const { sessionId: session, update: fields } = params;
  const sessionId = typeof session === "string" ? session : null;
  const kind = isJsonObject(fields) ? fields.sessionUpdate : undefined;
  if (!isJsonObject(fields) || typeof kind !== "string") return { type: "malformed", kind: "", sessionId, raw: params };
  // Most updates are chunks, and come by the hundred thousand: they take the shortest way.
  const read = isChunkKind(kind)
    ? readChunk(kind, sessionId, params, fields)
    : readKind({ type: "other", kind, sessionId, raw: params, fields });
  return read ?? { type: "malformed", kind, sessionId, raw: params };
}

/** Whether an update is part of what happened, which an agent repeats when it loads a session; all others describe the present state. */
export function isHistory(update: Update): boolean {
  switch (update.type) {
    case "message_chunk":
    case "tool_call":
    case "plan":
    case "sub_agent":
    case "session_message":
      return true;
    case "malformed":
      // One with a kind would be one of the above if it were whole.
      return update.kind !== "";
    case "plan_with_id":
    case "mode":
    case "config_options":
    case "commands":
    case "usage":
    case "session_info":
    case "notice":
    case "compaction":
    case "compaction_summary":
    case "other":
      return false;
    default:
      return assertNever(update);
  }
}

/** Null where a field is missing without which an update of this kind says nothing. */
function readKind(sent: SentUpdate<"other">): Update | null {
  const { kind, fields } = sent;
  switch (kind) {
    case "tool_call":
    case "tool_call_update": {
      const call = readToolCall(fields);
      return call && { ...sent, type: "tool_call", isAnnouncement: kind === "tool_call", call };
    }
    case "plan": {
      const { entries } = fields;
      return Array.isArray(entries) ? { ...sent, type: "plan", entries: entries.filter(isPlanEntry) } : null;
    }
    case "plan_update":
    case "plan_removed":
      return { ...sent, type: "plan_with_id", plan: readPlan(fields) };
    case "current_mode_update": {
      const { currentModeId: modeId } = fields;
      return typeof modeId === "string" ? { ...sent, type: "mode", modeId } : sent;
    }
    case "config_option_update":
      return { ...sent, type: "config_options", configOptions: fields.configOptions ?? null };
    case "available_commands_update":
      return { ...sent, type: "commands", commands: fields.availableCommands ?? null };
    case "usage_update":
      return { ...sent, type: "usage", cost: readCost(fields) };
    case "session_info_update":
      return { ...sent, type: "session_info", title: typeof fields.title === "string" ? fields.title : null };
    case "subagent_update":
      return { ...sent, type: "sub_agent", announced: readSubAgent(fields) };
    case "session_message":
    case "session_message_chunk": {
      const { content } = fields;
      const blocks = (Array.isArray(content) ? content : [content]).filter(isContentBlock);
      return { ...sent, type: "session_message", blocks, messageId: readMessageId(fields) };
    }
    case "notice":
      return { ...sent, type: "notice", text: noticeText(fields) };
    case "compaction_update": {
      const call = compactionCall(fields);
      return { ...sent, type: "compaction", call, isRunning: fields.status === "in_progress" };
    }
    case "compaction_summary_chunk":
      return { ...sent, type: "compaction_summary" };
    default:
      return sent;
  }
}

function isChunkKind(kind: string): kind is ChunkKind {
  return kind === "agent_message_chunk" || kind === "agent_thought_chunk" || kind === "user_message_chunk";
}

function readChunk(
  kind: ChunkKind,
  sessionId: string | null,
  raw: JsonObject,
  fields: JsonObject,
): MessageChunk | null {
  const { content } = fields;
  if (!isContentBlock(content)) return null;
  return { type: "message_chunk", kind, sessionId, raw, fields, content, messageId: readMessageId(fields) };
}

/** The same chunk with another text. */
export function replaceText(chunk: MessageChunk, text: string): MessageChunk {
  const content = { ...chunk.content, type: "text", text } as const;
  const fields = { ...chunk.fields, content };
  return { ...chunk, content, fields, raw: { ...chunk.raw, update: fields } };
}

function readMessageId({ messageId }: JsonObject): string | null {
  return typeof messageId === "string" ? messageId : null;
}

function readCost({ cost }: JsonObject): UsageUpdate["cost"] {
  if (!isJsonObject(cost) || typeof cost.amount !== "number") return null;
  return { amount: cost.amount, currency: typeof cost.currency === "string" ? cost.currency : "USD" };
}
