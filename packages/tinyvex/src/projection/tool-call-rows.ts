// A tool call and its row in the table: the columns that an update writes, and the reading of all of them.
import type { Json } from "@signalbox/protocol";
import {
  integer,
  integerOrNull,
  json,
  jsonArray,
  jsonObjectOrNull,
  type Row,
  text,
  textOrNull,
} from "../database/row.ts";
import type { ToolCall } from "./tool-call.ts";

export const FIELDS = `last_seq = ?, title = ?, name = ?, kind = ?, content_json = ?, locations_json = ?, raw_input_json = ?,
  raw_output_json = ?, meta_json = ?, started_at = ?`;

export function fieldsOf(call: ToolCall): (string | number | null)[] {
  return [
    call.lastSeq,
    call.title,
    call.name,
    call.kind,
    JSON.stringify(call.content),
    JSON.stringify(call.locations),
    jsonOrNull(call.rawInput),
    jsonOrNull(call.rawOutput),
    jsonOrNull(call.meta),
    call.startedAt,
  ];
}

function jsonOrNull(value: Json): string | null {
  return value === null ? null : JSON.stringify(value);
}

export function readToolCall(row: Row): ToolCall {
  return {
    rowId: integer(row, "id"),
    threadId: text(row, "thread_id"),
    id: text(row, "tool_call_id"),
    seq: integer(row, "seq"),
    lastSeq: integer(row, "last_seq"),
    title: text(row, "title"),
    name: textOrNull(row, "name"),
    kind: text(row, "kind"),
    status: text(row, "status"),
    endedBy: row["ended_by"] === "agent" || row["ended_by"] === "register" ? row["ended_by"] : null,
    content: jsonArray(row, "content_json"),
    locations: jsonArray(row, "locations_json"),
    rawInput: json(row, "raw_input_json"),
    rawOutput: json(row, "raw_output_json"),
    meta: jsonObjectOrNull(row, "meta_json"),
    createdAt: integer(row, "created_at"),
    startedAt: integerOrNull(row, "started_at"),
    endedAt: integerOrNull(row, "ended_at"),
    unsaved: false,
    unpublished: false,
  };
}
