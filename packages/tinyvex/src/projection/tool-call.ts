// One tool call of the register and what an announcement, an update or an end does to it. No database, no clock.
import type { Json, JsonObject, ToolCallContent, ToolCallRow } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
import { hasEnded, mergeToolCall, titleOf, untitled } from "@signalbox/tool-calls";
import type { LoggedEvent } from "../log/event-log.ts";

export interface ToolCall {
  /** Null until it is first written. */
  rowId: number | null;
  readonly threadId: string;
  readonly id: string;
  readonly seq: number;
  lastSeq: number;
  title: string;
  name: string | null;
  kind: string;
  status: string;
  /** Who ended it: what the register ended for want of news, the agent may still correct. */
  endedBy: "agent" | "register" | null;
  content: readonly Json[];
  locations: readonly Json[];
  rawInput: Json;
  rawOutput: Json;
  meta: JsonObject | null;
  readonly createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** Changed since it was last written, and since it was last shown. */
  unsaved: boolean;
  unpublished: boolean;
}

/** Marks the block that says why the register ended a call. */
export const REASON_KEY = "signalbox/reason";

export function newToolCall(event: LoggedEvent, id: string): ToolCall {
  return {
    rowId: null,
    threadId: event.threadId,
    id,
    seq: event.seq,
    lastSeq: event.seq,
    title: untitled,
    name: null,
    kind: "other",
    status: "pending",
    endedBy: null,
    content: [],
    locations: [],
    rawInput: null,
    rawOutput: null,
    meta: null,
    createdAt: event.ts,
    startedAt: null,
    endedAt: null,
    unsaved: true,
    unpublished: true,
  };
}

/** Merges the fields that an announcement or update carries, and records when the call started and ended. */
export function updateToolCall(call: ToolCall, event: LoggedEvent, fields: JsonObject): void {
  touch(call, event);
  const { status, _meta: meta } = fields;
  // What the register ended for want of news is open again for the agent's own status.
  if (call.endedBy === "register" && typeof status === "string" && hasEnded(status))
    call.content = call.content.filter((entry) => !isReason(entry));
  const update = isJsonObject(meta) ? { ...fields, _meta: withoutOutput(meta) } : fields;
  const { title, name, kind, content, locations, rawInput, rawOutput } = call;
  const known = { title, name, kind, status: call.status, content, locations, rawInput, rawOutput, _meta: call.meta };
  const { _meta: mergedMeta, ...merged } = mergeToolCall(known, update);
  if (typeof status === "string") recordTimes(call, event, status, merged.status);
  Object.assign(call, merged, { title: titleOf(merged), meta: mergedMeta });
}

export function isOpen(call: ToolCall): boolean {
  return call.endedAt === null;
}

/** Ends a call of which no more news will come. */
export function abandonToolCall(call: ToolCall, event: LoggedEvent, reason: string): void {
  touch(call, event);
  call.status = "failed";
  call.endedBy = "register";
  call.endedAt = event.ts;
  const block: ToolCallContent = {
    type: "content",
    content: { type: "text", text: reason, _meta: { [REASON_KEY]: true } },
  };
  call.content = [...call.content, block];
}

function touch(call: ToolCall, event: LoggedEvent): void {
  call.lastSeq = event.seq;
  call.unsaved = true;
  call.unpublished = true;
}

function recordTimes(call: ToolCall, event: LoggedEvent, sent: string, merged: string): void {
  if (hasEnded(sent)) {
    if (call.endedAt === null || call.status !== sent || call.endedBy === "register") call.endedAt = event.ts;
    call.endedBy = "agent";
  } else if (call.endedAt === null && merged !== "pending") call.startedAt ??= event.ts;
}

function isReason(entry: Json): boolean {
  if (!isJsonObject(entry) || !isJsonObject(entry["content"])) return false;
  const { _meta: meta } = entry["content"];
  return isJsonObject(meta) && meta[REASON_KEY] === true;
}

/** The output of a terminal on the agent's side is kept with the terminal. */
function withoutOutput(meta: JsonObject): JsonObject {
  const { terminal_output: _whole, terminal_output_delta: _delta, ...rest } = meta;
  return rest;
}

export function toToolCallRow(call: ToolCall): ToolCallRow {
  return {
    thread_id: call.threadId,
    tool_call_id: call.id,
    seq: call.seq,
    last_seq: call.lastSeq,
    title: call.title,
    name: call.name,
    kind: call.kind,
    status: call.status,
    content: call.content.filter(isContent),
    locations: call.locations.filter(isLocation),
    raw_input: call.rawInput,
    raw_output: call.rawOutput,
    meta: call.meta,
    created_at: call.createdAt,
    started_at: call.startedAt,
    ended_at: call.endedAt,
  };
}

export function isContent(value: Json): value is ToolCallContent {
  return isJsonObject(value) && typeof value["type"] === "string";
}

export function isLocation(value: Json): value is ToolCallRow["locations"][number] & JsonObject {
  return isJsonObject(value) && typeof value["path"] === "string";
}
