// The row tables as they are stored: the columns that travel (packages/protocol/src/tables.ts), those that stay inside, keys and indexes.
// Any change here makes the register rebuild its rows from the log.
import {
  column,
  elicitationColumns,
  fileChangeColumns,
  isJsonObject,
  type Json,
  type JsonObject,
  messageColumns,
  type PlanWithId,
  permissionColumns,
  planColumns,
  stateColumns,
  type ThreadListName,
  terminalColumns,
  threadColumns,
  threadStatus,
  toolCallColumns,
  turnColumns,
} from "@signalbox/protocol";
import { isStoredBlock, type StoredBlock } from "../projection/message-content.ts";
import { isWait, type Wait } from "../projection/waits.ts";
import { type Table, table } from "./table.ts";

const { boolean, fraction, list, nullable, number, oneOf, text } = column;

/** Who gave the thread its title: an agent's title never replaces a person's. */
type TitleBy = "person" | "agent";

/** The list of threads, by what it can be narrowed to. */
const listed = "(archived, updated_at, id)";

export const threads = table(
  "threads",
  {
    ...threadColumns,
    title_by: nullable(oneOf<TitleBy>(["person", "agent"], "agent")),
    /** The status when nothing runs and nothing waits. */
    rest_status: threadStatus,
    /** Its checkpoints counted the changed files; until they do, and without checkpoints, the diffs of tool calls count. */
    counted_by_checkpoints: boolean,
    message_count: number,
    tool_call_count: number,
    bytes: number,
  },
  "PRIMARY KEY(id)",
  {
    threads_by_activity: listed,
    threads_waiting: `${listed} WHERE status = 'waiting'`,
    threads_pinned: `${listed} WHERE pinned = 1`,
    threads_by_folder: "(cwd, archived)",
    threads_by_agent: "(agent_id, archived)",
    threads_starting: "(id) WHERE starting = 1",
  },
);

/** Each of a thread's lists is read by place, and by what changed since. */
function threadIndexes(name: string): Readonly<Record<string, string>> {
  return { [`${name}_by_seq`]: "(thread_id, seq)", [`${name}_by_change`]: "(thread_id, last_seq)" };
}

export const turns = table(
  "turns",
  {
    ...turnColumns,
    /** The event that has the prompt. */
    prompt_seq: number,
    cost: nullable(fraction),
    currency: nullable(text),
    input_tokens: nullable(number),
    output_tokens: nullable(number),
    total_tokens: nullable(number),
    queued_at: number,
  },
  "PRIMARY KEY(thread_id, turn_id)",
  {
    ...threadIndexes("turns"),
    turns_by_prompt: "(thread_id, prompt_id)",
    turns_running: "(thread_id) WHERE status = 'running'",
    turns_queued: "(thread_id) WHERE status = 'queued'",
    // Statistics are answered from this one alone.
    turns_by_end: `(ended_at, agent_id, thread_id, turn_id, status, started_at, currency, cost, input_tokens, output_tokens, total_tokens)
      WHERE ended_at IS NOT NULL`,
  },
);

export const messages = table(
  "messages",
  {
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
  },
  "UNIQUE(thread_id, seq)",
  {
    messages_by_change: "(thread_id, last_seq)",
    messages_open: "(thread_id) WHERE partial = 1",
    messages_of_person: "(thread_id, seq) WHERE role = 'user'",
  },
);

/** Statistics group calls by these. Rows of one group lie together in the index, in the order in which the calls ended. */
export const toolCallGroup = "json_array(agent_id, kind, name)";

export const toolCalls = table(
  "tool_calls",
  {
    ...toolCallColumns,
    /** The agent that made it: a thread may be handed over later. */
    agent_id: text,
    /** `toolCallMs` of the row. */
    took_ms: nullable(number),
    /** The files among its locations, each once. */
    paths: list<string>((value) => typeof value === "string"),
    /** What the register ended for want of news, the agent may still correct. */
    ended_by: nullable(oneOf<"agent" | "register">(["agent", "register"], "agent")),
    /** From when to when questions about it were open: in order, apart from each other. */
    waits: list<Wait>(isWait),
  },
  "UNIQUE(thread_id, tool_call_id), UNIQUE(thread_id, seq)",
  {
    tool_calls_by_change: "(thread_id, last_seq)",
    tool_calls_open: "(thread_id) WHERE ended_at IS NULL",
    tool_calls_by_time: "(created_at)",
    // Statistics are answered from these three.
    tool_calls_by_group: `(${toolCallGroup}, ended_at, status, took_ms) WHERE ended_at IS NOT NULL`,
    tool_calls_asked: "(ended_at) WHERE ended_at IS NOT NULL AND waited_ms > 0",
    tool_calls_by_path: "(ended_at, agent_id, status, paths_json) WHERE ended_at IS NOT NULL AND paths_json <> '[]'",
  },
);

export const fileChanges = table("file_changes", fileChangeColumns, "PRIMARY KEY(thread_id, path, seq)");

export const permissions = table("permissions", permissionColumns, "PRIMARY KEY(thread_id, permission_id)", {
  ...threadIndexes("permissions"),
  permissions_by_call: "(thread_id, tool_call_id)",
  permissions_pending: "(thread_id, tool_call_id) WHERE status = 'pending'",
  permissions_waiting: "(created_at, permission_id) WHERE status = 'pending'",
});

export const elicitations = table("elicitations", elicitationColumns, "PRIMARY KEY(thread_id, elicitation_id)", {
  ...threadIndexes("elicitations"),
  elicitations_by_call: "(thread_id, tool_call_id)",
  elicitations_pending: "(thread_id) WHERE status = 'pending'",
  elicitations_by_status: "(status, created_at, elicitation_id)",
});

export const terminals = table(
  "terminals",
  {
    ...terminalColumns,
    /** The hash of the output, once the terminal ended. */
    output_ref: nullable(text),
    output_size: number,
    /** In UTF-16 units. */
    output_length: number,
    output_blob: nullable(number),
    output_owner: nullable(oneOf<"log" | "rows">(["log", "rows"], "rows")),
  },
  "PRIMARY KEY(thread_id, terminal_id)",
  { ...threadIndexes("terminals"), terminals_open: "(thread_id) WHERE ended_at IS NULL" },
);

function isStoredPlan(value: Json): value is PlanWithId & JsonObject {
  return isJsonObject(value) && typeof value.planId === "string" && Array.isArray(value.entries);
}

const ofThread = "PRIMARY KEY(thread_id)";

/** What travels of the plan and of the state of a thread. */
export const planTable = table("plans", planColumns, ofThread);
export const stateTable = table("thread_state", stateColumns, ofThread);

export const storedPlans = table(
  "plans",
  {
    ...planColumns,
    /** Each plan by its id: some agents have several. */
    by_id: list<PlanWithId>(isStoredPlan),
    last_seq: number,
  },
  ofThread,
);

export const storedStates = table(
  "thread_state",
  { ...stateColumns, session_cost: fraction, last_seq: number },
  ofThread,
);

/** The lists beside the timeline. */
const threadLists: { readonly [Name in ThreadListName]: Table } = { turns, permissions, elicitations, terminals };

/** All tables whose rows belong to a thread, by `thread_id`. */
export const threadTables: readonly Table[] = [
  messages,
  toolCalls,
  fileChanges,
  ...Object.values(threadLists),
  storedPlans,
  storedStates,
];

export const allTables: readonly Table[] = [threads, ...threadTables];
