// Rows that are made for an answer: of the register beside its tables (tables.ts), and of the host. Snake_case, times in ms.
// Aliases, not interfaces, so that every row is also plain JSON to the type checker.
import type { Open, ToolKind } from "./acp.ts";
import type { Hunk } from "./asked-about.ts";
import type { RowOf } from "./columns.ts";
import type { Json } from "./json.ts";
import type { threadCostColumns } from "./result-columns.ts";
import type { BlobRef, ElicitationRow, MessageRow, PermissionRow, ThreadRow, ToolCallRow } from "./tables.ts";

/** A thread in `threads.list`, with its counts. */
export type ThreadSummaryRow = ThreadRow & {
  readonly message_count: number;
  readonly tool_call_count: number;
};

/** How many threads there are in a folder, or of an agent; or a kind that a search can be narrowed to, which has no count. */
export type FacetRow = {
  readonly facet: "agent_id" | "cwd" | "kind";
  readonly value: string;
  /** Threads that are not archived, and those that are; null for a kind. */
  readonly threads: number | null;
  readonly archived: number | null;
};

/** A folder in which threads work. */
export type ProjectRow = {
  /** The same as its path. */
  readonly id: string;
  readonly name: string;
  readonly path: string;
  /** Threads that are not archived, and those that are. */
  readonly threads: number;
  readonly archived: number;
};

/** A question that waits for a person, with what is needed to show it without its thread. */
export type QuestionRow = (
  | ({ readonly type: "permission" } & PermissionRow)
  | ({ readonly type: "elicitation" } & ElicitationRow)
) & {
  readonly thread_title: string | null;
  readonly agent_id: string;
  readonly cwd: string;
  /** The title of the tool call that it is about; null when it is about none. */
  readonly title: string | null;
  /** The machine that it is on, where machines share their threads. */
  readonly machine?: string;
};

/** Something that looks like a secret, and the item that it is in. `preview` has its first letters, four at most. */
export type SecretRow = {
  readonly thread_id: string;
  readonly item: "message" | "tool_call" | "terminal" | "plan" | "permission" | "event" | "title";
  readonly item_id: string | null;
  /** The first event of the item that has it. */
  readonly seq: number;
  /** The form of the secret, or `repeated`: the same text was found as a secret elsewhere in the thread. */
  readonly kind: "private_key" | "url" | "authorization" | "bearer" | "well_known" | "named" | "repeated";
  readonly preview: string;
};

/** How many secrets were taken out, and of how many threads. */
export type Redaction = {
  readonly redacted: number;
  readonly threads: number;
};

/** A file that a thread changed. */
export type ChangedFileRow = {
  readonly thread_id: string;
  readonly path: string;
  /** From where this is known: from the thread's checkpoints; where it has none, from the diffs of its completed tool calls. */
  readonly source: "checkpoints" | "tool_calls";
  /** How many completed calls have a diff of it, and the places of the first and the last of them; null where none has. */
  readonly calls: number;
  readonly seq: number | null;
  readonly last_seq: number | null;
  /** From checkpoints, the lines of the net change; from tool calls, of all their diffs together. Null where a text was too long to compare. */
  readonly added: number | null;
  readonly removed: number | null;
};

/** A file that differs between a turn's beginning and its end, or over all turns of a thread. `path` is relative to the thread's folder. */
export type ChangeRow = {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  /** Where a renamed file was before. */
  readonly old_path?: string;
  /** Lines; null where the texts were not compared. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly binary: boolean;
  /** Too big to be compared. */
  readonly too_big?: boolean;
  /** Why its content was not kept: it can be neither shown nor put back. */
  readonly not_kept?: string;
  /** By an edit of the agent that a tool call describes, by anything else that ran in the turn, or by both. */
  readonly source: "tool" | "command" | "both";
  /** Type and permission bits as `ls` counts them, such as 0o100644; null where there is no such file. Only where the two differ. */
  readonly old_mode?: number | null;
  readonly new_mode?: number | null;
};

/** The difference of one file, with its hunks. */
export type ChangeDiffRow = Omit<ChangeRow, "source"> & {
  readonly hunks: readonly Hunk[];
  /** Bytes; null where there is no such file. */
  readonly old_size: number | null;
  readonly new_size: number | null;
  /** So many changes that parts of it were not compared line by line. */
  readonly rough?: boolean;
};

/** The effect of `changes.restore`, done or previewed. */
export type RestoreResult = {
  /** The restore itself, which can be restored to; null after a dry run, and when there was nothing to do. */
  readonly turn_id: string | null;
  readonly restored: readonly string[];
  /** The same files with what happened to each. */
  readonly files: readonly { readonly path: string; readonly action: "changed" | "created" | "deleted" }[];
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
};

/** A file of a work tree that is not committed. `path` is relative to the top of the repository; that of a repository in it ends with a slash. */
export type GitFile = {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed" | "untracked" | "conflicted";
  readonly old_path?: string;
};

/** The state of a git work tree now. */
export type GitStateRow = {
  /** The top folder of the work tree. */
  readonly top: string;
  /** The folder that was asked about, within it: `sub/`; empty for the top. */
  readonly prefix: string;
  /** Null when HEAD is a commit and no branch. */
  readonly branch: string | null;
  /** The commit; null before the first one. */
  readonly head: string | null;
  /** As in a thread's `git`. */
  readonly compared_to: string | null;
  readonly ahead: number | null;
  readonly behind: number | null;
  readonly dirty: number;
  /** The first of them, when there are very many. */
  readonly files: readonly GitFile[];
};

/** The result of `git.commit` and `git.merge`. */
export type GitResult = {
  readonly commit: string;
  /** The output of git and its hooks. */
  readonly output: string;
};

/** Settings that a command made and that programs outside would obey. They wait in the data folder until the person decides. */
export type AsideRow = {
  readonly aside_id: string;
  /** In the thread's folder, or absolute where they were made in another one of the thread. */
  readonly path: string;
  /** The rule of the sandbox that names them. */
  readonly rule: string;
  readonly made_at: number;
  /** Names the whole content; `aside.keep` takes it. */
  readonly digest: string;
  readonly files: readonly AsideFile[];
};

export type AsideFile = {
  /** Below the path of the row; empty where that is a file itself. */
  readonly path: string;
  readonly size: number;
  readonly is_program: boolean;
  /** The beginning; null where it is not text. */
  readonly text: string | null;
  /** Where a link leads; null for a file. */
  readonly link: string | null;
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

/** `tool_calls.list`. The thread's fields are only there in a list over all threads. */
export type ListedToolCallRow = ToolCallRow & {
  readonly thread_title?: string | null;
  readonly agent_id?: string;
  readonly cwd?: string;
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
  /** The machine that it is on, where machines share their threads. */
  readonly machine?: string;
  /** The place that matched, hits between U+E000 and U+E001 (private use: no agent's markup can forge a highlight). */
  readonly snippet: string;
  readonly ts: number;
};

/**
 * `stats`: tool calls or turns that ended, grouped by what was asked for (`group_by`: any of `day`, `agent_id`, `kind`, `name`);
 * a column that was not asked for is null. Durations in ms, over the calls or turns of the group.
 */
export type StatsRow = ToolCallStatsRow | TurnStatsRow;

type StatsGroup = {
  /** Where machines share their threads, each is counted on its own. */
  readonly machine?: string;
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
  /** The tool's name; null also for calls whose agent gave none. */
  readonly name: string | null;
  /** How many calls a person was asked about, and how long some of them waited for an answer: that is in no duration. Time in which several wait counts once. */
  readonly asked: number;
  readonly waited_ms: number;
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

/** A port on which a program of a thread listens. */
export type PortRow = {
  readonly port: number;
  /** False where it is open to the browser still, and the program is gone. */
  readonly is_listening: boolean;
  /** Where the browser on the host's machine reaches it; null while it is not open. */
  readonly url: string | null;
};

export type FolderRow = {
  readonly path: string;
};

/** Bytes of the register's file, and of each thread in it. */
export type SizesRow = {
  readonly file: number;
  readonly threads: readonly { readonly thread_id: string; readonly title: string | null; readonly bytes: number }[];
};

/** The result of an import, counted in sessions. */
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

/** A machine that shares its threads. */
export type MachineRow = {
  readonly machine: string;
  /** It is the one that answers. */
  readonly own: boolean;
  readonly online: boolean;
  /** `signed`: it sends and takes commands. */
  readonly control: "off" | "signed";
  /** A problem of sharing on this machine; null when all is well, and for other machines. */
  readonly problem: string | null;
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

/** A thread's agent seen from outside while it starts and runs. */
export type AgentActivityRow = {
  readonly thread_id: string;
  readonly label: string;
  /** As the agent reports itself. */
  readonly agent_name: string | null;
  readonly agent_version: string | null;
  readonly pid: number | null;
  readonly started_at: number;
  /** The current step of a starting agent, and when it is given up unless it sends or prints something; null once it runs. */
  readonly step: { readonly text: string; readonly since: number; readonly ends_at: number } | null;
  /** When it last sent or printed anything; null when it never did. */
  readonly last_output_at: number | null;
  /** The end of what it printed beside its messages: stderr, and stdout that is no message. */
  readonly output: string;
  /** The file that has more of it. */
  readonly log_file: string | null;
  /** Requests without an answer, the oldest first. */
  readonly requests: readonly {
    readonly direction: "to_agent" | "from_agent";
    readonly method: string;
    readonly subject: string | null;
    readonly since: number;
  }[];
  /** The tools that it registered; null where it does not say. */
  readonly tools: readonly string[] | null;
  readonly mcp_servers: readonly McpServerRow[] | null;
};

/** The usage of a thread in a span of time, in one currency. */
export type ThreadCostRow = RowOf<typeof threadCostColumns> & {
  /** How full its model's context was last; null where the agent does not say. */
  readonly context: { readonly used: number; readonly size: number | null } | null;
};

/** Spending in US dollars as agents report it, and its limit. */
export type BudgetRow = {
  /** `day`: turns of all threads that ended today. `session`: the session of the thread that was asked for. */
  readonly scope: "day" | "session";
  readonly spent: number;
  /** Null where there is none. */
  readonly limit: number | null;
};

export type RetentionRow = {
  readonly threads: number;
};

/** An MCP server as the agent that uses it describes it. */
export type McpServerRow = {
  readonly name: string;
  readonly status: string | null;
  readonly tools: number | null;
  /** Where the agent names them. */
  readonly tool_names: readonly string[];
  /** Its tools that the config leaves out. */
  readonly left_out: readonly string[];
  readonly problem: string | null;
  /** Since when it has been starting; null where it does not start now. */
  readonly starting_since: number | null;
  /** The prompt that starts it again; null where the agent names none. */
  readonly restart: string | null;
  /** The prompt that logs in to it; null where it needs no log-in. */
  readonly log_in: string | null;
};
