// One tool call and what an announcement, an update or an end does to it. Pure: no database, no clock.
// Status only moves forward; a field that is not carried is not touched; the end is final, but may be told more exactly.
import type { Json, JsonObject, ToolCallContent, ToolCallRow } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
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
  /** Blobs of this call that still grow: when it ends they get their hash. */
  growing: readonly number[];
  readonly createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** Changed since it was last written, and since it was last shown. */
  unsaved: boolean;
  unpublished: boolean;
}

export const UNTITLED = "Tool call";

/** Marks the block that says why the register ended a call. */
export const REASON_KEY = "signalbox/reason";

export function newToolCall(event: LoggedEvent, id: string): ToolCall {
  return {
    rowId: null,
    threadId: event.threadId,
    id,
    seq: event.seq,
    lastSeq: event.seq,
    title: UNTITLED,
    name: null,
    kind: "other",
    status: "pending",
    endedBy: null,
    content: [],
    locations: [],
    rawInput: null,
    rawOutput: null,
    meta: null,
    growing: [],
    createdAt: event.ts,
    startedAt: null,
    endedAt: null,
    unsaved: true,
    unpublished: true,
  };
}

/** Takes the fields that an announcement or update carries. */
export function updateToolCall(call: ToolCall, event: LoggedEvent, fields: JsonObject, isRepeated: boolean): void {
  touch(call, event);
  const { title, name, kind, status, content, locations, rawInput, rawOutput, _meta: meta } = fields;
  if (typeof title === "string") call.title = title;
  else if (call.title === UNTITLED && typeof name === "string") call.title = name;
  if (typeof name === "string") call.name = name;
  if (typeof kind === "string") call.kind = kind;
  // A second announcement begins with empty fields again; they do not erase what is known.
  const carries = (value: Json | undefined): value is Json =>
    value !== undefined && value !== null && !(isRepeated && isEmpty(value));
  if (Array.isArray(content) && carries(content)) call.content = content;
  if (Array.isArray(locations) && carries(locations)) call.locations = locations;
  if (carries(rawInput)) call.rawInput = rawInput;
  if (carries(rawOutput)) call.rawOutput = rawOutput;
  if (isJsonObject(meta)) call.meta = withNews(call.meta, withoutOutput(meta));
  if (typeof status === "string") advance(call, event, status);
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

function advance(call: ToolCall, event: LoggedEvent, status: string): void {
  if (isFinal(status)) {
    if (call.endedAt === null || call.status !== status || call.endedBy === "register") call.endedAt = event.ts;
    if (call.endedBy === "register") call.content = call.content.filter((entry) => !isReason(entry));
    call.status = status;
    call.endedBy = "agent";
    return;
  }
  // Never back: not from an end, and not from running to waiting.
  if (call.endedAt !== null || (status === "pending" && call.startedAt !== null)) return;
  call.status = status;
  if (status !== "pending") call.startedAt ??= event.ts;
}

function isFinal(status: string): boolean {
  return status === "completed" || status === "failed";
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

/** Vendors keep their fields in an object of their own: news of one field say nothing of the others. */
function withNews(known: JsonObject | null, news: JsonObject): JsonObject {
  const merged = Object.entries(news).map(([vendor, now]) => {
    const before = known?.[vendor];
    return [vendor, isJsonObject(before) && isJsonObject(now) ? { ...before, ...now } : now] as const;
  });
  return { ...known, ...Object.fromEntries(merged) };
}

function isEmpty(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
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
