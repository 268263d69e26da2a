// Says which sub-agent of an agent something belongs to. ACP has sessions of their own for them (not in its stable part yet): a `subagent_update`
// announces one, and a tool call of the register stands for it. Other agents name the call that started a sub-agent in `_meta`.
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { ToolCallFields } from "./tool-call-fields.ts";

const prefix = "subagent:";
/** Longer ids are nothing that a row should have as its key. */
const maxIdLength = 1000;
const parentKeys = ["parentToolCallId", "parentToolUseId"];

/** A sub-agent that an agent announces, or of which it reports news. */
export interface SubAgentAnnouncement {
  readonly sessionId: string;
  /** The call that stands for it, with the fields that the agent sent. */
  readonly call: ToolCallFields;
  /** Whether the client may cancel what it does; undefined where that is as it was. */
  readonly canCancel: boolean | undefined;
}

/** Reads the fields of a `subagent_update`; null where they name no session. */
export function readSubAgent(fields: JsonObject): SubAgentAnnouncement | null {
  const { sessionId, capabilities } = fields;
  if (typeof sessionId !== "string" || sessionId === "" || sessionId.length > maxIdLength) return null;
  const canCancel = isJsonObject(capabilities) && isJsonObject(capabilities.cancel);
  return {
    sessionId,
    call: subAgentCall(sessionId, fields),
    canCancel: capabilities === undefined ? undefined : canCancel,
  };
}

/** The id of the tool call that stands for a sub-agent with this session. */
export function subAgentCallId(sessionId: string): string {
  return `${prefix}${encodeURIComponent(sessionId.toWellFormed())}`;
}

/** The session of the sub-agent that a call stands for; null for any other call. */
export function sessionOfSubAgent(toolCallId: string): string | null {
  const [, encoded] = /^subagent:([^:]+)$/.exec(toolCallId) ?? [];
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded);
  } catch {
    // An agent chose this id.
    return null;
  }
}

/** The id that a call of a sub-agent has in the thread: each session counts its calls for itself. */
export function buildNestedCallId(subAgent: string, toolCallId: string): string {
  return `${subAgent}:${toolCallId}`;
}

/** Reads an id that `callIdUnder` made: the call that stands for the sub-agent, and the id that the sub-agent gave. Null for any other. */
export function partsOfCallId(id: string): { readonly subAgent: string; readonly toolCallId: string } | null {
  const [, subAgent, toolCallId] = /^(subagent:[^:]+):(.*)$/s.exec(id) ?? [];
  return subAgent === undefined || toolCallId === undefined ? null : { subAgent, toolCallId };
}

/** A sub-agent as the timeline has it: a tool call. What the update leaves out is left out. */
function subAgentCall(sessionId: string, update: JsonObject): ToolCallFields {
  const { title, description, state, cwd, additionalDirectories } = update;
  const status = isJsonObject(state) ? describeStatus(state) : undefined;
  const texts = [description, isJsonObject(state) ? describeProblem(state) : undefined].filter(isText);
  const place = { ...(isText(cwd) && { cwd }), ...(Array.isArray(additionalDirectories) && { additionalDirectories }) };
  return {
    toolCallId: subAgentCallId(sessionId),
    name: "subagent",
    kind: "think",
    ...(isText(title) && { title }),
    ...(status !== undefined && { status }),
    ...(texts.length > 0 && { content: texts.map((text) => ({ type: "content", content: { type: "text", text } })) }),
    ...(Object.keys(place).length > 0 && { rawInput: place }),
  };
}

/** The call that started the sub-agent which an update comes from, where its `_meta` says so: directly, or in the part of one vendor. */
export function readParentCall(meta: Json | undefined): string | null {
  if (!isJsonObject(meta)) return null;
  for (const part of [meta, ...Object.values(meta).filter(isJsonObject)]) {
    for (const key of parentKeys) {
      const id = part[key];
      if (isText(id) && id.length <= maxIdLength) return id;
    }
  }
  return null;
}

/** A sub-agent that is idle has done what it was told. Undefined where it is not said what it does. */
function describeStatus({ state, stopReason }: JsonObject): string | undefined {
  if (state === "running" || state === "requires_action") return "in_progress";
  if (state !== "idle") return undefined;
  return stopReason === "error" || stopReason === "cancelled" || stopReason === "refusal" ? "failed" : "completed";
}

function describeProblem({ error, stopReason }: JsonObject): string | undefined {
  if (stopReason === "cancelled") return "It was cancelled.";
  return isJsonObject(error) && isText(error.message) ? error.message : undefined;
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "";
}
