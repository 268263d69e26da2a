// The register's tables as they are stored: the columns that travel (packages/protocol/src/tables.ts) and those that stay inside.
import {
  column,
  fileChangeColumns,
  isJsonObject,
  type Json,
  type JsonObject,
  messageColumns,
  type PlanWithId,
  planColumns,
  stateColumns,
  type ThreadListName,
  terminalColumns,
  threadColumns,
  threadListColumns,
  threadListNames,
  threadStatus,
  toolCallColumns,
  turnColumns,
} from "@signalbox/protocol";
import { isStoredBlock, type StoredBlock } from "../projection/message-content.ts";
import { isWait, type Wait } from "../projection/waits.ts";
import { type Table, table } from "./table.ts";

const { list, nullable, number, oneOf, text } = column;

/** Who gave the thread its title: an agent's title never replaces a person's. */
type TitleBy = "person" | "agent";

export const threads = table("threads", {
  ...threadColumns,
  title_by: nullable(oneOf<TitleBy>(["person", "agent"], "agent")),
  /** The status when nothing runs and nothing waits. */
  rest_status: threadStatus,
  message_count: number,
  tool_call_count: number,
  bytes: number,
});

export const turns = table("turns", {
  ...turnColumns,
  /** The event that has the prompt. */
  prompt_seq: number,
  cost: nullable(number),
  currency: nullable(text),
  input_tokens: nullable(number),
  output_tokens: nullable(number),
  total_tokens: nullable(number),
  queued_at: number,
});

export const messages = table("messages", {
  ...messageColumns,
  /** The whole text, or its beginning when it lies in a blob; empty while the message grows. */
  text,
  text_hash: nullable(text),
  text_size: nullable(number),
  /** The blob in which the text grows. */
  text_blob: nullable(number),
  /** The number of the first half of a character whose second half has not come yet: a text cannot hold it. */
  half: nullable(text),
  content: nullable(list<StoredBlock>(isStoredBlock)),
  /** The agent's own id of the message. */
  message_id: nullable(text),
});

export const toolCalls = table("tool_calls", {
  ...toolCallColumns,
  /** Calls that we closed at the end of a turn; a late status from the agent overrides this. */
  ended_by: nullable(oneOf<"agent" | "register">(["agent", "register"], "agent")),
  /** From when to when questions about it were open: in order, apart from each other. */
  waits: list<Wait>(isWait),
});

export const fileChanges = table("file_changes", fileChangeColumns);

export const terminals = table("terminals", {
  ...terminalColumns,
  /** The hash of the output, once the terminal ended. */
  output_ref: nullable(text),
  output_size: number,
  /** In UTF-16 units; null for terminals of earlier versions. */
  output_length: nullable(number),
  output_blob: nullable(number),
  output_owner: nullable(oneOf<"log" | "rows">(["log", "rows"], "rows")),
});

/** The plan and the state of a thread, with the columns that travel. */
export const planTable = table("plans", planColumns);
export const stateTable = table("thread_state", stateColumns);

function isStoredPlan(value: Json): value is PlanWithId & JsonObject {
  return isJsonObject(value) && typeof value.planId === "string" && Array.isArray(value.entries);
}

export const storedPlans = table("plans", {
  ...planColumns,
  /** Each plan by its id: some agents have several. */
  by_id: list<PlanWithId>(isStoredPlan),
  last_seq: number,
});
export const storedStates = table("thread_state", { ...stateColumns, session_cost: number, last_seq: number });

/** The lists beside the timeline that store more than what travels. */
const withMore: { readonly [Name in ThreadListName]?: Table } = { turns, terminals };
const listTables = threadListNames.map((name) => withMore[name] ?? table(name, threadListColumns[name]));

export const allTables: readonly Table[] = [
  threads,
  messages,
  toolCalls,
  fileChanges,
  ...listTables,
  storedPlans,
  storedStates,
];
