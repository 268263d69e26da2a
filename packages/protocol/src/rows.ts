// The register's rows as they travel: snake_case, times in ms, `*_json` columns as JSON values under the name without `_json`.
// Aliases, not interfaces, so that every row is also plain JSON to the type checker.
// `seq` is where a thing first appeared (its place, which never changes); `last_seq` the event that changed it last.

import type { RememberScope } from "@signalbox/rules";
import type {
  ContentBlock,
  Open,
  PermissionOption,
  PlanEntry,
  StopReason,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
} from "./acp.ts";
import type { Json, JsonObject } from "./json.ts";

export type ThreadStatus = "idle" | "running" | "waiting" | "interrupted" | "failed" | "closed";

export type ThreadRow = {
  readonly id: string;
  readonly agent_id: string;
  readonly session_id: string | null;
  readonly cwd: string;
  readonly title: string | null;
  readonly status: ThreadStatus;
  readonly current_mode_id: string | null;
  readonly archived: boolean;
  readonly parent_thread_id: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_seq: number;
};

/** What `threads.list` adds to a thread: how much is in it. */
export type ThreadSummaryRow = ThreadRow & {
  readonly message_count: number;
  readonly tool_call_count: number;
};

export type TurnStatus = "queued" | "running" | "ended" | "failed" | "interrupted";

/** Why a turn failed, in words for a person; `code` is stable. */
export type TurnError = {
  readonly code: string;
  readonly message: string;
  readonly details?: Json;
};

export type TurnRow = {
  readonly thread_id: string;
  readonly turn_id: string;
  readonly prompt_id: string;
  readonly seq: number;
  readonly last_seq: number;
  readonly status: TurnStatus;
  readonly stop_reason: StopReason | null;
  readonly error: TurnError | null;
  readonly usage: JsonObject | null;
  /** What the turn cost, where the agent says so. */
  readonly cost?: TurnCost | null;
  /** The prompt while it waits in the queue; the timeline has it as a message once the turn runs. */
  readonly prompt: readonly ContentBlock[];
  readonly started_at: number | null;
  readonly ended_at: number | null;
};

export type TurnCost = {
  readonly amount: number;
  readonly currency: string;
};

/** Where the whole of something big lies; the row keeps a preview. */
export type BlobRef = {
  readonly hash: string;
  readonly size: number;
};

export type MessageRole = "user" | "assistant";
export type MessageKind = "message" | "reason";

export type MessageRow = {
  readonly thread_id: string;
  readonly item_id: string;
  readonly seq: number;
  readonly last_seq: number;
  readonly role: MessageRole;
  readonly kind: MessageKind;
  /** The text, or a window of it when the whole is big: see `text_offset`, `text_len`, `text_ref`. */
  readonly text: string;
  /** Where `text` begins in the whole, in UTF-16 units. 0 unless only the end of a big open message is shown. */
  readonly text_offset: number;
  /** Length of the whole in UTF-16 units. */
  readonly text_len: number;
  readonly text_ref: BlobRef | null;
  /** Every block in order when the message is more than text (images, resources); null when `text` says it all. */
  readonly content: readonly ContentBlock[] | null;
  /** True while more may come. */
  readonly partial: boolean;
  readonly created_at: number;
  readonly updated_at: number;
};

export type ToolCallRow = {
  readonly thread_id: string;
  readonly tool_call_id: string;
  readonly seq: number;
  readonly last_seq: number;
  readonly title: string;
  readonly name: string | null;
  readonly kind: ToolKind;
  readonly status: ToolCallStatus;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
  readonly raw_input: Json;
  readonly raw_output: Json;
  readonly meta: JsonObject | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
};

export type PlanRow = {
  readonly thread_id: string;
  readonly entries: readonly PlanEntry[];
};

export type ThreadStateRow = {
  readonly thread_id: string;
  readonly current_mode_id: string | null;
  readonly modes: Json;
  readonly config_options: Json;
  readonly available_commands: Json;
  readonly usage: JsonObject | null;
};

export type PermissionStatus = "pending" | "allowed" | "denied" | "cancelled" | "timed_out";

export type PermissionRow = {
  readonly thread_id: string;
  readonly permission_id: string;
  readonly tool_call_id: string | null;
  readonly seq: number;
  readonly last_seq: number;
  readonly options: readonly PermissionOption[];
  readonly status: PermissionStatus;
  readonly option_id: string | null;
  readonly decided_by: string | null;
  readonly rule: string | null;
  /** The rule that a remembered answer would write; null when no rule could name this and nothing else. */
  readonly rule_if_remembered: string | null;
  /** How far an answer can be remembered. */
  readonly remember_scopes: readonly Exclude<RememberScope, "once">[];
  readonly created_at: number;
  readonly decided_at: number | null;
};

export type ElicitationMode = "form" | "url";
export type ElicitationStatus = "pending" | "accepted" | "declined" | "cancelled";

/** A question of an agent that wants more than yes or no: a form to fill in, or an address to open. */
export type ElicitationRow = {
  readonly thread_id: string;
  readonly elicitation_id: string;
  readonly seq: number;
  readonly last_seq: number;
  readonly mode: ElicitationMode;
  readonly message: string;
  /** The JSON Schema of the answer, as the agent sent it; null for an address. */
  readonly schema: Json;
  /** The address to open, http or https; null for a form. */
  readonly url: string | null;
  readonly tool_call_id: string | null;
  readonly status: ElicitationStatus;
  /** What was answered; null unless a form was accepted. */
  readonly content: Json;
  /** `person`, `command`, `agent`, `host`, `timeout`, `cancel`, `turn_end` or `restart`; null while it waits. */
  readonly decided_by: string | null;
  /** Why, where nobody answered; null otherwise. */
  readonly reason: string | null;
  readonly created_at: number;
  readonly decided_at: number | null;
};

export type TerminalRow = {
  readonly thread_id: string;
  readonly terminal_id: string;
  readonly seq: number;
  readonly last_seq: number;
  readonly command: string;
  readonly cwd: string | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** A part of the output: its end in a snapshot or a list, what is new in a change. The whole is behind `output_ref` once the terminal ended. */
  readonly output: string;
  /** Where in the whole output (in UTF-16 units) `output` begins: above 0, something stands before it. */
  readonly output_offset: number;
  /** The agent limited what it can read back, and the beginning was dropped for it. Nothing is missing here. */
  readonly truncated: boolean;
  readonly output_ref: BlobRef | null;
  readonly created_at: number;
  readonly ended_at: number | null;
};

/** One entry of the log. `payload` is what was sent, unknown fields included. */
export type EventRow = {
  readonly thread_id: string;
  readonly seq: number;
  readonly ts: number;
  readonly kind: string;
  readonly payload: Json;
  /** Strings of the payload that are too big to travel with it: `path` (a JSON Pointer) shows the beginning, the blob has it whole. */
  readonly blobs?: readonly ({ readonly path: string } & BlobRef)[];
};

export type TimelineItem = ({ readonly type: "message" } & MessageRow) | ({ readonly type: "tool_call" } & ToolCallRow);

/** How ready an agent of the registry is to be used. */
export type AgentReadiness = Open<"ready" | "not_installed" | "needs_login" | "broken">;

export type AgentRow = {
  readonly id: string;
  readonly label: string;
  readonly readiness: AgentReadiness;
  /** Why it is not ready and what to do; null when it is. */
  readonly reason: string | null;
  readonly version: string | null;
  /** The command that installs it; null where there is none. */
  readonly install?: string | null;
  /** How to log in, in a sentence; null where nothing is known. */
  readonly login?: string | null;
  /** The program's file; null when it is not installed. */
  readonly program?: string | null;
};

/** What a test of an agent did, step by step, and how it ended. */
export type AgentTestRow = {
  readonly agent_id: string;
  readonly readiness: AgentReadiness;
  readonly reason: string | null;
  /** What the agent says of itself. */
  readonly version: string | null;
  readonly auth_methods: readonly Json[];
  readonly steps: readonly AgentTestStepRow[];
  /** The end of what it printed beside its messages. */
  readonly output: string;
};

export type AgentTestStepRow = {
  readonly step: Open<"find" | "start" | "initialize" | "session" | "stop">;
  readonly ok: boolean;
  readonly message: string;
  readonly ms: number;
};

export type SearchHitRow = {
  readonly thread_id: string;
  readonly thread_title: string | null;
  readonly agent_id: string;
  readonly cwd: string;
  readonly seq: number;
  readonly item: Open<"message" | "tool_call" | "terminal">;
  readonly item_id: string;
  /** `message` or `reason`, the kind of a tool call, `terminal`. */
  readonly kind: string;
  /** The place that matched, hits between U+E000 and U+E001 (private use: no agent's markup can forge a highlight). */
  readonly snippet: string;
  readonly ts: number;
};

/**
 * `stats`: tool calls or turns that ended, grouped by what was asked for (`group_by`: any of `day`, `agent_id`, `kind`);
 * a column that was not asked for is null. Durations in ms, over the calls or turns of the group.
 */
export type StatsRow = ToolCallStatsRow | TurnStatsRow;

type StatsGroup = {
  /** `YYYY-MM-DD`. */
  readonly day: string | null;
  readonly agent_id: string | null;
  readonly count: number;
  readonly failed: number;
  readonly median_ms: number | null;
  readonly p95_ms: number | null;
};

export type ToolCallStatsRow = StatsGroup & {
  readonly stat: "tool_calls";
  readonly kind: ToolKind | null;
  /** With `group_by: ["path"]`: a file that calls named among their locations. */
  readonly path?: string;
};

export type TurnStatsRow = StatsGroup & {
  readonly stat: "turns";
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  /** In `currency`; turns in different currencies are different rows. */
  readonly cost: number;
  readonly currency: string | null;
};

export type ListeningRow = {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Said wherever a person looks, when others on the network could read along; null when all is well. */
  readonly warning: string | null;
};

/** `blob.get`: a range of a blob, in bytes; as text where the range is whole characters. */
export type BlobRow = BlobRef & {
  readonly offset: number;
  readonly length: number;
  readonly encoding: "utf8" | "base64";
  readonly data: string;
};

/** A file of a thread's folder; `name` is its path from there. */
export type FileRow = {
  readonly path: string;
  readonly name: string;
};

export type FolderRow = {
  readonly path: string;
};

/** Bytes of the register's file, and of each thread in it. */
export type SizesRow = {
  readonly file: number;
  readonly threads: readonly { readonly thread_id: string; readonly bytes: number }[];
};

/** What an import did, counted in sessions. */
export type ImportRow = {
  /** New in the register. */
  readonly imported: number;
  /** Were there and had grown. */
  readonly continued: number;
  readonly unchanged: number;
  /** Files without a conversation, and sessions that Signalbox itself ran. */
  readonly skipped: number;
  readonly failed: readonly { readonly file: string; readonly reason: string }[];
};

/** What the page greets with: what this machine has. Never a key itself, only whether there is one. */
export type SetupRow = {
  readonly version: string;
  readonly data_dir: string;
  /** The folder in which Signalbox was started: a sensible first choice. */
  readonly start_folder: string;
  readonly home_folder: string;
  readonly providers: readonly {
    readonly name: string;
    readonly label: string;
    readonly key_present: boolean;
    /** Where the key is, or where it is looked for first. */
    readonly variable: string;
  }[];
  /** Where the host listens; null when none runs. */
  readonly listening: ListeningRow | null;
  readonly ollama: { readonly running: boolean; readonly models: readonly string[] };
  readonly sandbox: {
    readonly enforced: boolean;
    /** Landlock, bubblewrap, Seatbelt … or why not. */
    readonly by: string;
    readonly reason: string | null;
    readonly mode: string;
    readonly network: boolean;
  };
};

/** A session as the agent itself lists it. */
export type AgentSessionRow = {
  readonly agent_id: string;
  readonly session_id: string;
  readonly cwd: string;
  readonly title: string | null;
  readonly updated_at: number | null;
  /** The thread that has it; null when the register does not know it. */
  readonly thread_id: string | null;
};

export type ProcessRow = {
  readonly thread_id: string;
  readonly pid: number;
  readonly command: string;
  readonly started_at: number;
  readonly memory_bytes: number | null;
};
