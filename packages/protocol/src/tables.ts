// The register's tables: each is declared here once, by the columns that travel. The types of the rows come from it, and so do the tables and
// statements of the register (packages/tinyvex/src/database/tables.ts adds columns that stay inside). To add a column, add a line here: the
// register notices that the declaration changed and makes its rows again from the log.
// `seq` is where a thing first appeared (its place, which never changes); `last_seq` the event that changed it last. Times are in ms.
import type { RememberScope } from "@signalbox/rules";
import {
  type ContentBlock,
  isContentBlock,
  isPermissionOption,
  isPlanEntry,
  isToolCallContent,
  isToolCallLocation,
  type PermissionOption,
  type PlanEntry,
  type StopReason,
  type ToolCallContent,
  type ToolCallLocation,
  type ToolCallStatus,
  type ToolKind,
} from "./acp.ts";
import { changedFiles, questionSubject } from "./asked-about.ts";
import { threadCheckpoints, threadGit, turnCheckpoint } from "./checkpoints.ts";
import { boolean, type Column, json, jsonObject, list, nullable, number, oneOf, type RowOf, text } from "./columns.ts";
import type { Json, JsonObject } from "./json.ts";
import { threadFork, threadSandbox } from "./thread-facts.ts";

/** A column of text whose known words have a type of their own. */
const toolKind: Column<ToolKind> = text;
const toolCallStatus: Column<ToolCallStatus> = text;
const stopReason: Column<StopReason> = text;

/** An amount of money, as agents report it. */
export type Cost = {
  readonly amount: number;
  readonly currency: string;
};

const cost: Column<Cost | null> = { ...jsonObject, read: (stored) => toCost(jsonObject.read(stored)) };

export type ThreadStatus = "idle" | "running" | "waiting" | "interrupted" | "failed" | "closed";
export const threadStatus = oneOf<ThreadStatus>(
  ["idle", "running", "waiting", "interrupted", "failed", "closed"],
  "idle",
);

export const threadColumns = {
  id: text,
  agent_id: text,
  session_id: nullable(text),
  cwd: text,
  title: nullable(text),
  status: threadStatus,
  /** Its agent is being started, or its session opened. */
  starting: boolean,
  /** Its last turn was stopped before its end. */
  stopped: boolean,
  current_mode_id: nullable(text),
  archived: boolean,
  /** A person wants to find it at the top of the list. */
  pinned: boolean,
  parent_thread_id: nullable(text),
  /** How a fork goes on from its parent; null for a thread that is none. */
  fork: threadFork,
  /** Folders beside `cwd` that the agent works in. */
  additional_directories: list<string>((value) => typeof value === "string"),
  /** How many questions wait for an answer, of both kinds. */
  waiting: number,
  /** How many files its turns changed, by its checkpoints; without checkpoints, how many are in the diffs of its completed tool calls. */
  files_changed: number,
  /** The total cost of its turns, in the currency that the agent named last; null if it named none. */
  cost,
  /** The sandbox since the agent was last started; null if it never was. */
  sandbox: threadSandbox,
  /** Whether its whole agent runs inside the sandbox, as the person chose for this thread; null: as the config and the agent's row say. */
  sandbox_choice: nullable(boolean),
  /** Null when its agent was never started. */
  checkpoints: threadCheckpoints,
  /** Null where there is no git repository, or the agent was never started. */
  git: threadGit,
  created_at: number,
  updated_at: number,
  last_seq: number,
};
export type ThreadRow = RowOf<typeof threadColumns> & {
  /** The machine that the thread is on, where machines share their threads, and whether that machine is there now. */
  readonly machine?: string;
  readonly machine_online?: boolean;
};

export type TurnStatus = "queued" | "running" | "ended" | "failed" | "interrupted";

/** Why a turn failed, in words for a person; `code` is stable. */
export type TurnError = {
  readonly code: string;
  readonly message: string;
  readonly details?: Json;
};

const turnError: Column<TurnError | null> = {
  ...jsonObject,
  suffix: "",
  read: (stored) => toTurnError(jsonObject.read(stored)),
};

export const turnColumns = {
  thread_id: text,
  turn_id: text,
  prompt_id: text,
  seq: number,
  last_seq: number,
  status: oneOf<TurnStatus>(["queued", "running", "ended", "failed", "interrupted"], "ended"),
  stop_reason: nullable(stopReason),
  error: turnError,
  usage: jsonObject,
  /** The agent that ran it; null while it waits, and for turns that were stored before threads could be handed over. */
  agent_id: nullable(text),
  /** The model that answered, as the agent names it; before that the one that the prompt is for. Null where that is not known. */
  model: nullable(text),
  /** The prompt while it waits in the queue; the timeline has it as a message once the turn runs. */
  prompt: list<ContentBlock>(isContentBlock),
  /** Null where no checkpoints are made. */
  checkpoint: turnCheckpoint,
  /** For a restore of files, which has a row like a turn but no prompt: the turn to whose beginning files were put back. Null for any other. */
  restored_to: nullable(text),
  started_at: nullable(number),
  ended_at: nullable(number),
};
export type TurnRow = RowOf<typeof turnColumns> & {
  /** The cost of the turn, if the agent reports it. */
  readonly cost?: Cost | null;
};

export type MessageRole = "user" | "assistant";
export type MessageKind = "message" | "reason" | "notice";

export const messageColumns = {
  thread_id: text,
  item_id: text,
  seq: number,
  last_seq: number,
  role: oneOf<MessageRole>(["user", "assistant"], "assistant"),
  kind: oneOf<MessageKind>(["message", "reason", "notice"], "message"),
  /** Length of the whole text in UTF-16 units. */
  text_len: number,
  /** True while more may come. */
  partial: boolean,
  /** The call of the sub-agent that said it; null for the agent itself and the person. */
  parent_tool_call_id: nullable(text),
  created_at: number,
  updated_at: number,
};
export type MessageRow = RowOf<typeof messageColumns> & {
  /** The text, or a window of it when the whole is big: see `text_offset`, `text_len`, `text_ref`. */
  readonly text: string;
  /** Where `text` begins in the whole, in UTF-16 units. 0 unless only the end of a big open message is shown. */
  readonly text_offset: number;
  readonly text_ref: BlobRef | null;
  /** Every block in order when the message is more than text (images, resources); null when `text` says it all. */
  readonly content: readonly ContentBlock[] | null;
};

/** Where the whole of something big lies; the row keeps a preview. */
export type BlobRef = {
  readonly hash: string;
  readonly size: number;
};

export const toolCallColumns = {
  thread_id: text,
  tool_call_id: text,
  seq: number,
  last_seq: number,
  title: text,
  name: nullable(text),
  kind: toolKind,
  status: toolCallStatus,
  content: list<ToolCallContent>(isToolCallContent),
  locations: list<ToolCallLocation>(isToolCallLocation),
  raw_input: json,
  raw_output: json,
  meta: jsonObject,
  created_at: number,
  started_at: nullable(number),
  ended_at: nullable(number),
  /** How long questions about it waited for an answer: `toolCallMs` leaves that out. */
  waited_ms: number,
  /** The call that started the sub-agent whose call this is; null for a call of the agent itself. */
  parent_tool_call_id: nullable(text),
};
export type ToolCallRow = RowOf<typeof toolCallColumns>;

/** One file that one completed tool call changed. */
export const fileChangeColumns = {
  thread_id: text,
  /** The place of the tool call. */
  seq: number,
  path: text,
  /** Lines; null where a text was too long to compare when it came. */
  added: nullable(number),
  removed: nullable(number),
};

export const planColumns = {
  thread_id: text,
  entries: list<PlanEntry>(isPlanEntry),
};
export type PlanRow = RowOf<typeof planColumns>;

export const stateColumns = {
  thread_id: text,
  current_mode_id: nullable(text),
  modes: json,
  config_options: json,
  available_commands: json,
  usage: jsonObject,
  /** The agent takes text into a running turn. */
  steering: boolean,
  /** Other fields of the agent's answer when its session was opened. */
  more: jsonObject,
};
export type ThreadStateRow = RowOf<typeof stateColumns>;

export type PermissionStatus = "pending" | "allowed" | "denied" | "cancelled" | "timed_out";

const blobRef: Column<BlobRef | null> = { ...jsonObject, read: (stored) => toBlobRef(jsonObject.read(stored)) };

/** A question of an agent for permission: yes or no. */
export const permissionColumns = {
  thread_id: text,
  permission_id: text,
  tool_call_id: nullable(text),
  seq: number,
  last_seq: number,
  options: list<PermissionOption>(isPermissionOption),
  status: oneOf<PermissionStatus>(["pending", "allowed", "denied", "cancelled", "timed_out"], "cancelled"),
  option_id: nullable(text),
  decided_by: nullable(text),
  rule: nullable(text),
  /** The rule that a remembered answer would write; null when no rule could name this and nothing else. */
  rule_if_remembered: nullable(text),
  /** How far an answer can be remembered. */
  remember_scopes: list<Exclude<RememberScope, "once">>(isRememberScope),
  /** Rules that allow more than `rule_if_remembered`, each more than the one before, and that an answer may name instead. */
  wider_rules: list<string>(isText),
  /** The thing that the question is about. */
  subject: questionSubject,
  /** The paths outside the thread's folder that it names. */
  outside: list<string>(isText),
  /** The changes that it would make, while it waits. Of many, the beginning; `hunks_ref` has all. */
  hunks: changedFiles,
  hunks_ref: blobRef,
  /** The person's comment on a denial. */
  comment: nullable(text),
  created_at: number,
  decided_at: nullable(number),
};
export type PermissionRow = RowOf<typeof permissionColumns>;

export type ElicitationMode = "form" | "url";
export type ElicitationStatus = "pending" | "accepted" | "declined" | "cancelled";

/** A question of an agent that wants more than yes or no: a form to fill in, or an address to open. */
export const elicitationColumns = {
  thread_id: text,
  elicitation_id: text,
  seq: number,
  last_seq: number,
  mode: oneOf<ElicitationMode>(["form", "url"], "form"),
  message: text,
  /** The JSON Schema of the answer, as the agent sent it; null for an address. */
  schema: json,
  /** The address to open, http or https; null for a form. */
  url: nullable(text),
  tool_call_id: nullable(text),
  status: oneOf<ElicitationStatus>(["pending", "accepted", "declined", "cancelled"], "cancelled"),
  /** The answer; null unless a form was accepted. */
  content: json,
  /** `person`, `command`, `agent`, `host`, `timeout`, `cancel`, `turn_end` or `restart`; null while it waits. */
  decided_by: nullable(text),
  /** Why it was not answered; null otherwise. */
  reason: nullable(text),
  created_at: number,
  decided_at: nullable(number),
};
export type ElicitationRow = RowOf<typeof elicitationColumns>;

export const terminalColumns = {
  thread_id: text,
  terminal_id: text,
  seq: number,
  last_seq: number,
  command: text,
  cwd: nullable(text),
  exit_code: nullable(number),
  signal: nullable(text),
  /** The agent limited what it can read back, and the beginning was dropped for it. Nothing is missing here. */
  truncated: boolean,
  created_at: number,
  ended_at: nullable(number),
};
export type TerminalRow = RowOf<typeof terminalColumns> & {
  /** A part of the output: its end in a snapshot or a list, what is new in a change. The whole is behind `output_ref` once the terminal ended. */
  readonly output: string;
  /** Where in the whole output (in UTF-16 units) `output` begins: above 0, something stands before it. */
  readonly output_offset: number;
  readonly output_ref: BlobRef | null;
};

/** The lists of a thread that stand beside its timeline, by the name of their table, stream and part of a snapshot. */
export const threadListColumns = {
  turns: turnColumns,
  permissions: permissionColumns,
  elicitations: elicitationColumns,
  terminals: terminalColumns,
};

/** Their rows. */
export interface ThreadLists {
  readonly turns: TurnRow;
  readonly permissions: PermissionRow;
  readonly elicitations: ElicitationRow;
  readonly terminals: TerminalRow;
}
export type ThreadListName = keyof ThreadLists;

/** The id by which a row of each list is known within its thread. */
export const threadListIds: { readonly [Name in ThreadListName]: (row: ThreadLists[Name]) => string } = {
  turns: (row) => row.turn_id,
  permissions: (row) => row.permission_id,
  elicitations: (row) => row.elicitation_id,
  terminals: (row) => row.terminal_id,
};

export const threadListNames = Object.keys(threadListIds) as readonly ThreadListName[];

/** The lists of a thread that stand beside its timeline. */
export type ListParts = { readonly [Name in ThreadListName]: readonly ThreadLists[Name][] };

/** Makes every list of a thread by its name. */
export function makeLists(
  rowsOf: <Name extends ThreadListName>(name: Name) => readonly ThreadLists[Name][],
): ListParts {
  // Each list has the rows of its own name.
  return Object.fromEntries(threadListNames.map((name) => [name, rowsOf(name)])) as ListParts;
}

function toTurnError(value: Readonly<Record<string, Json | undefined>> | null): TurnError | null {
  if (value === null) return null;
  const { code, message, details } = value;
  const error = { code: typeof code === "string" ? code : "", message: typeof message === "string" ? message : "" };
  return details === undefined ? error : { ...error, details };
}

function toCost(value: Readonly<Record<string, Json | undefined>> | null): Cost | null {
  const { amount, currency } = value ?? {};
  return typeof amount === "number" && typeof currency === "string" ? { amount, currency } : null;
}

function isRememberScope(value: Json): value is Exclude<RememberScope, "once"> {
  return value === "turn" || value === "thread" || value === "folder" || value === "always";
}

function isText(value: Json): value is string {
  return typeof value === "string";
}

function toBlobRef(value: JsonObject | null): BlobRef | null {
  if (value === null || typeof value.hash !== "string" || typeof value.size !== "number") return null;
  return { hash: value.hash, size: value.size };
}
