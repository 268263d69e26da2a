// Declares what the host sends to a client; `type` names the kind. A change says what one committed event did to a row: `seq` is that event.
import type { ContentBlock } from "./acp.ts";
import type { Json } from "./json.ts";
import type { QueryName, QueryPage, RequestId, RequestName, RequestResult } from "./requests/index.ts";
import type { ThreadSummaryRow, TimelineItem } from "./rows.ts";
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

/** A change that the register publishes after a commit. */
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

/** Work of the host that takes a while and belongs to no thread: an import, a test of an agent, a rebuild; or that sharing has a problem, until it works again. */
export interface ProgressMessage {
  readonly type: "host.progress";
  readonly task: "import" | "agents.test" | "agents.install" | "agents.start" | "shared" | "rebuild";
  /** The subject: a source, an agent's id, a thread's id, a machine, or `register`. */
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

/** The fields of any result, each of which may be missing: one type for all answers that are `tinyvex.ok`. */
type AnyResult = Partial<Intersection<Extract<RequestResult<RequestName>, object>>>;
type Intersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (value: infer All) => void
  ? All
  : never;

interface Answer {
  readonly request_id?: RequestId | undefined;
}

/** The answer to a request, as it travels. A client's `request` gives the result of the request's name instead. */
export type AnswerMessage =
  | (Answer & { readonly type: "tinyvex.ok" } & AnyResult)
  | (Answer & { readonly type: "run.submitted" } & RequestResult<"run.submit">)
  | (Answer & { readonly type: "tinyvex.pong" })
  | (Answer & { readonly type: "tinyvex.query_result"; readonly name: QueryName } & QueryPage<QueryName>)
  | ErrorMessage;

export interface ErrorMessage extends Answer {
  readonly type: "tinyvex.error";
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Json;
}

export type ServerMessage = Change | SnapshotMessage | ProgressMessage | AnswerMessage;
