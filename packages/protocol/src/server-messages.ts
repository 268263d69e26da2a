// Declares what the host sends to a client; `type` names the kind. A change says what one committed event did to a row: `seq` is that event.
import type { ContentBlock } from "./acp.ts";
import type { RequestId } from "./client-messages.ts";
import type { Json } from "./json.ts";
import type { QueryName, QueryRow } from "./queries.ts";
import type {
  GitResult,
  ImportRow,
  McpServerRow,
  Redaction,
  RestoreResult,
  ThreadSummaryRow,
  TimelineItem,
} from "./rows.ts";
import type { AgentTestRow, PairingRow } from "./setup-rows.ts";
import type {
  ListParts,
  MessageKind,
  MessageRole,
  PlanRow,
  ThreadLists,
  ThreadRow,
  ThreadStateRow,
  ToolCallRow,
} from "./tables.ts";

/** Text came in at `text_offset` (UTF-16 units of the whole); a client whose text is shorter has missed something and asks again. */
export interface MessageChange {
  readonly type: "tinyvex.update";
  readonly stream: "messages";
  readonly thread_id: string;
  readonly seq: number;
  readonly item_id: string;
  /** Where the message first appeared. */
  readonly item_seq: number;
  readonly role: MessageRole;
  readonly kind: MessageKind;
  /** Left out for what no sub-agent said. */
  readonly parent_tool_call_id?: string;
  readonly text_offset: number;
  readonly text_delta: string;
  /** All blocks so far, when the message is more than text. */
  readonly content?: readonly ContentBlock[];
  readonly ts: number;
}

export interface MessageFinalized {
  readonly type: "tinyvex.finalize";
  readonly stream: "messages";
  readonly thread_id: string;
  readonly seq: number;
  readonly item_id: string;
  readonly text_len: number;
}

interface RowChangeOf<Stream extends string, Row> {
  readonly type: "tinyvex.update";
  readonly stream: Stream;
  readonly thread_id: string;
  readonly seq: number;
  readonly row: Row;
}

/** The rows that a change carries, by stream. */
interface RowStreams extends ThreadLists {
  readonly tool_calls: ToolCallRow;
  readonly plan: PlanRow;
  readonly state: ThreadStateRow;
}

export type RowChange = { [Stream in keyof RowStreams]: RowChangeOf<Stream, RowStreams[Stream]> }[keyof RowStreams];

/** A queued turn was taken out of the queue before it ran. */
export interface TurnRemovedChange {
  readonly type: "tinyvex.update";
  readonly stream: "turns";
  readonly thread_id: string;
  readonly seq: number;
  readonly removed: string;
}

/** Everything that can happen inside one thread. */
export type ThreadChange = MessageChange | MessageFinalized | RowChange | TurnRemovedChange;

/** The list of threads changed: a row is new or different, or a thread is gone. */
export type ThreadsChange =
  | { readonly type: "tinyvex.update"; readonly stream: "threads"; readonly row: ThreadRow }
  | { readonly type: "tinyvex.update"; readonly stream: "threads"; readonly deleted: string };

/** What the register hands out after a commit. */
export type Change = ThreadChange | ThreadsChange;

/** A thread as it stands at `seq`: the newest page of its timeline, or with `after_seq` only what changed since. */
export interface ThreadSnapshot extends ListParts {
  readonly thread: ThreadRow;
  readonly timeline: readonly TimelineItem[];
  readonly plan: PlanRow | null;
  readonly state: ThreadStateRow | null;
  /** Older items exist before the first of `timeline`. */
  readonly has_more: boolean;
  /** True when this is only what changed since the `after_seq` asked for, that event included, and every queued turn. */
  readonly newer_only: boolean;
  readonly seq: number;
}

/** Work of the host that takes a while and belongs to no thread: an import, a test of an agent; or that sharing has a problem, until it works again. */
export interface ProgressMessage {
  readonly type: "host.progress";
  readonly task: "import" | "agents.test" | "agents.install" | "agents.start" | "shared";
  /** What it is about: a source, an agent's id, a thread's id, a machine. */
  readonly subject: string;
  readonly message: string;
  /** The end of what it printed. */
  readonly output?: string;
  readonly done?: number;
  readonly total?: number;
  readonly finished: boolean;
}

export type ErrorCode =
  | "bad_request"
  | "not_found"
  | "conflict"
  | "unauthorized"
  | "too_large"
  | "rate_limited"
  | "agent_failed"
  | "unavailable"
  | "internal";

/** How what was subscribed to stands: the answer to a subscription, and again, without a `request_id`, to a client that fell behind. */
export type SnapshotMessage =
  | {
      readonly type: "tinyvex.snapshot";
      readonly request_id?: RequestId;
      readonly stream: "threads";
      readonly rows: readonly ThreadSummaryRow[];
    }
  | ({
      readonly type: "tinyvex.snapshot";
      readonly request_id?: RequestId;
      readonly stream: "thread";
      readonly thread_id: string;
    } & ThreadSnapshot);

interface RowsAnswer<Name extends string, Row> {
  readonly type: "tinyvex.query_result";
  readonly request_id?: RequestId;
  readonly name: Name;
  readonly rows: readonly Row[];
  readonly next_cursor?: string;
}

/** The answer to a query: rows as `Queries` says of its name. */
export type QueryResult<Name extends QueryName = QueryName> = RowsAnswer<Name, QueryRow<Name>>;

export type ServerMessage =
  | Change
  | SnapshotMessage
  | ProgressMessage
  | QueryResult
  | RowsAnswer<"agents.test", AgentTestRow>
  | RowsAnswer<"import", ImportRow>
  | RowsAnswer<"mcp.test", McpServerRow>
  | RowsAnswer<"devices.pair", PairingRow>
  | {
      readonly type: "run.submitted";
      readonly request_id?: RequestId;
      readonly thread_id: string;
      readonly turn_id: string;
      readonly prompt_id: string;
      readonly queued: boolean;
      /** Whether it went into the running turn; only where the request asked for that. */
      readonly steered?: boolean;
    }
  /** To `changes.restore` also with what it did. */
  | ({
      readonly type: "tinyvex.ok";
      readonly request_id?: RequestId;
      readonly thread_id?: string;
      readonly thread?: ThreadRow;
      /** What a person should know of what was done: to `keys.save` what the provider said to the key. */
      readonly note?: string;
    } & Partial<RestoreResult> &
      Partial<GitResult> &
      Partial<Redaction>)
  | { readonly type: "tinyvex.pong"; readonly request_id?: RequestId }
  | {
      readonly type: "tinyvex.error";
      readonly request_id?: RequestId;
      readonly code: ErrorCode;
      readonly message: string;
      readonly details?: Json;
    };
