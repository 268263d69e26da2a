// Table rows as they travel (protocol's row types). The writer uses the same reading for what it publishes.
import type {
  ContentBlock,
  ElicitationMode,
  ElicitationRow,
  ElicitationStatus,
  Json,
  PermissionOption,
  PermissionRow,
  PermissionStatus,
  PlanEntry,
  PlanRow,
  ThreadStateRow,
  TurnError,
  TurnRow,
  TurnStatus,
} from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
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
import { isBlock } from "../projection/message-content.ts";

export function toTurnRow(row: Row): TurnRow {
  return {
    thread_id: text(row, "thread_id"),
    turn_id: text(row, "turn_id"),
    prompt_id: text(row, "prompt_id"),
    seq: integer(row, "seq"),
    last_seq: integer(row, "last_seq"),
    status: oneOf(TURN_STATUSES, row["status"], "ended"),
    stop_reason: textOrNull(row, "stop_reason"),
    error: toTurnError(json(row, "error")),
    usage: jsonObjectOrNull(row, "usage_json"),
    cost: row["cost"] === null ? null : { amount: integer(row, "cost"), currency: text(row, "currency") },
    prompt: toBlocks(jsonArray(row, "prompt_json")),
    started_at: integerOrNull(row, "started_at"),
    ended_at: integerOrNull(row, "ended_at"),
  };
}

export function toPermissionRow(row: Row): PermissionRow {
  return {
    thread_id: text(row, "thread_id"),
    permission_id: text(row, "permission_id"),
    tool_call_id: textOrNull(row, "tool_call_id"),
    seq: integer(row, "seq"),
    last_seq: integer(row, "last_seq"),
    options: jsonArray(row, "options_json").filter(isOption),
    status: oneOf(PERMISSION_STATUSES, row["status"], "cancelled"),
    option_id: textOrNull(row, "option_id"),
    decided_by: textOrNull(row, "decided_by"),
    rule: textOrNull(row, "rule"),
    rule_if_remembered: textOrNull(row, "rule_if_remembered"),
    remember_scopes: jsonArray(row, "remember_scopes_json").filter(isRememberScope),
    created_at: integer(row, "created_at"),
    decided_at: integerOrNull(row, "decided_at"),
  };
}

export function toElicitationRow(row: Row): ElicitationRow {
  return {
    thread_id: text(row, "thread_id"),
    elicitation_id: text(row, "elicitation_id"),
    seq: integer(row, "seq"),
    last_seq: integer(row, "last_seq"),
    mode: oneOf(ELICITATION_MODES, row["mode"], "form"),
    message: text(row, "message"),
    schema: json(row, "schema_json"),
    url: textOrNull(row, "url"),
    tool_call_id: textOrNull(row, "tool_call_id"),
    status: oneOf(ELICITATION_STATUSES, row["status"], "cancelled"),
    content: json(row, "content_json"),
    decided_by: textOrNull(row, "decided_by"),
    reason: textOrNull(row, "reason"),
    created_at: integer(row, "created_at"),
    decided_at: integerOrNull(row, "decided_at"),
  };
}

export function toPlanRow(row: Row): PlanRow {
  return { thread_id: text(row, "thread_id"), entries: jsonArray(row, "entries_json").filter(isPlanEntry) };
}

export function toStateRow(row: Row): ThreadStateRow {
  return {
    thread_id: text(row, "thread_id"),
    current_mode_id: textOrNull(row, "current_mode_id"),
    modes: json(row, "modes_json"),
    config_options: json(row, "config_options_json"),
    available_commands: json(row, "available_commands_json"),
    usage: jsonObjectOrNull(row, "usage_json"),
  };
}

export function toBlocks(values: readonly Json[]): readonly ContentBlock[] {
  return values.filter(isBlock);
}

const TURN_STATUSES: readonly TurnStatus[] = ["queued", "running", "ended", "failed", "interrupted"];
const PERMISSION_STATUSES: readonly PermissionStatus[] = ["pending", "allowed", "denied", "cancelled", "timed_out"];
const ELICITATION_MODES: readonly ElicitationMode[] = ["form", "url"];
const ELICITATION_STATUSES: readonly ElicitationStatus[] = ["pending", "accepted", "declined", "cancelled"];

function oneOf<Known extends string>(known: readonly Known[], value: unknown, otherwise: Known): Known {
  return known.find((word) => word === value) ?? otherwise;
}

function toTurnError(value: Json): TurnError | null {
  if (!isJsonObject(value)) return null;
  const { code, message, details } = value;
  const error = { code: typeof code === "string" ? code : "", message: typeof message === "string" ? message : "" };
  return details === undefined ? error : { ...error, details };
}

function isOption(value: Json): value is PermissionOption & Json {
  return isJsonObject(value) && typeof value["optionId"] === "string";
}

function isRememberScope(value: Json): value is PermissionRow["remember_scopes"][number] {
  return value === "thread" || value === "folder" || value === "always";
}

function isPlanEntry(value: Json): value is PlanEntry & Json {
  return isJsonObject(value) && typeof value["content"] === "string";
}
