// One tool call of the register and what an announcement, an update or an end does to it. No database, no clock.
import {
  isJsonObject,
  isToolCallContent,
  isToolCallLocation,
  type JsonObject,
  type ToolCallContent,
  type ToolCallFields,
} from "@signalbox/protocol";
import { chooseTitle, hasEnded, mergeToolCall, untitled } from "@signalbox/tool-calls";
import type { Draft } from "../database/table.ts";
import type { toolCalls } from "../database/tables.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { mergeWaits, sumWaits, type Wait } from "./waits.ts";

export interface ToolCall {
  readonly row: Draft<typeof toolCalls.columns>;
  /** False until the row is first written. */
  isStored: boolean;
  /** Changed since it was last written, and since it was last published. */
  unsaved: boolean;
  unpublished: boolean;
}

/** Marks the block that says why the register ended a call. */
export const reasonKey = "signalbox/reason";

export function newToolCall({ threadId, seq, ts }: LoggedEvent, id: string, agentId: string): ToolCall {
  return {
    row: {
      thread_id: threadId,
      tool_call_id: id,
      seq,
      last_seq: seq,
      title: untitled,
      name: null,
      kind: "other",
      status: "pending",
      content: [],
      locations: [],
      raw_input: null,
      raw_output: null,
      meta: null,
      parent_tool_call_id: null,
      created_at: ts,
      started_at: null,
      ended_at: null,
      waited_ms: 0,
      waits: [],
      agent_id: agentId,
      took_ms: null,
      paths: [],
      ended_by: null,
    },
    isStored: false,
    unsaved: true,
    unpublished: true,
  };
}

/** Merges the fields that an announcement or update carries, and records when the call started and ended. */
export function updateToolCall(
  call: ToolCall,
  event: LoggedEvent,
  fields: ToolCallFields,
  isAnnouncement: boolean,
): void {
  touch(call, event);
  const { row } = call;
  const { status, _meta: meta } = fields;
  // A call that we closed at the end of a turn accepts a late status from the agent.
  if (row.ended_by === "register" && hasEnded(status)) row.content = row.content.filter((entry) => !isReason(entry));
  const { title, name, kind, content, locations, raw_input: rawInput, raw_output: rawOutput } = row;
  const known = { title, name, kind, status: row.status, content, locations, rawInput, rawOutput, _meta: row.meta };
  const news = meta === undefined ? fields : { ...fields, _meta: withoutOutput(meta) };
  const merged = mergeToolCall(known, news, isAnnouncement);
  if (status !== undefined) recordTimes(call, event, status, merged.status);
  row.title = chooseTitle(merged);
  row.name = merged.name;
  row.kind = merged.kind;
  row.status = merged.status;
  // Entries of another shape are in the log only.
  row.content = merged.content.filter(isToolCallContent);
  row.locations = merged.locations.filter(isToolCallLocation);
  row.paths = [...new Set(row.locations.map(({ path }) => path))];
  row.raw_input = merged.rawInput;
  row.raw_output = merged.rawOutput;
  row.meta = merged._meta;
}

export function isOpen({ row }: ToolCall): boolean {
  return row.ended_at === null;
}

/** Adds times in which questions about the call were open. */
export function addWaits(call: ToolCall, event: LoggedEvent, waits: readonly Wait[]): void {
  touch(call, event);
  call.row.waits = mergeWaits([...call.row.waits, ...waits]);
  call.row.waited_ms = sumWaits(call.row.waits);
}

/** Ends a call of which no more news will come. */
export function abandonToolCall(call: ToolCall, event: LoggedEvent, reason: string): void {
  touch(call, event);
  const { row } = call;
  row.status = "failed";
  row.ended_by = "register";
  row.ended_at = event.ts;
  const block: ToolCallContent = {
    type: "content",
    content: { type: "text", text: reason, _meta: { [reasonKey]: true } },
  };
  row.content = [...row.content, block];
}

function touch(call: ToolCall, event: LoggedEvent): void {
  call.row.last_seq = event.seq;
  call.unsaved = true;
  call.unpublished = true;
}

function recordTimes({ row }: ToolCall, event: LoggedEvent, sent: string, merged: string): void {
  if (hasEnded(sent)) {
    if (row.ended_at === null || row.status !== sent || row.ended_by === "register") row.ended_at = event.ts;
    row.ended_by = "agent";
  } else if (row.ended_at === null && merged !== "pending") row.started_at ??= event.ts;
}

function isReason(entry: ToolCallContent): boolean {
  const content: unknown = entry.type === "content" ? entry.content : undefined;
  if (!isJsonObject(content)) return false;
  const { _meta: meta } = content;
  return isJsonObject(meta) && meta[reasonKey] === true;
}

/** The output of a terminal on the agent's side is kept with the terminal. */
function withoutOutput(meta: JsonObject): JsonObject {
  const { terminal_output: _whole, terminal_output_delta: _delta, ...rest } = meta;
  return rest;
}
