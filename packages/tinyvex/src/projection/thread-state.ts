// Declares what the writer needs to know of a thread to apply its next event: its row, its open text, what runs. It is loaded for the few
// active threads, so that memory does not grow with the number of threads.
import { type ThreadCreated, type ThreadRow, threadColumns } from "@signalbox/protocol";
import { type Draft, pickColumns } from "../database/table.ts";
import type { threads } from "../database/tables.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import type { Segment } from "./segment.ts";
import type { ToolCall } from "./tool-call.ts";

/** A thread's row as the writer changes it. */
export type ThreadRecord = Draft<typeof threads.columns>;

export interface ThreadState {
  readonly record: ThreadRecord;
  /** The open messages by who speaks, the oldest first. */
  readonly segments: Map<string | null, Segment>;
  /** Whether a session id is that of a sub-agent, as far as it was looked up. */
  readonly subAgents: Map<string, boolean>;
  readonly runningTurns: Set<string>;
  /** Questions that wait for an answer, of both kinds. */
  pendingQuestions: number;
  /** Tool calls touched lately, by id. */
  readonly toolCalls: Map<string, ToolCall>;
  /** The title that a search finds. */
  searchedTitle: string | null;
  /** True when something that the list of threads shows has changed in this window. */
  listed: boolean;
}

export function toThreadRow(record: ThreadRecord): ThreadRow {
  return pickColumns(threadColumns, record);
}

/** The row of a thread that has just begun. */
export function newThreadRecord({ threadId, seq, ts }: LoggedEvent, fact: ThreadCreated): ThreadRecord {
  const {
    agent_id,
    cwd,
    title,
    parent_thread_id,
    additional_directories = [],
    git = null,
    fork = null,
    sandbox_choice = null,
    starting = false,
  } = fact;
  return {
    id: threadId,
    agent_id,
    cwd,
    parent_thread_id,
    fork,
    additional_directories,
    created_at: ts,
    session_id: null,
    title,
    title_by: title === null ? null : "person",
    status: "idle",
    rest_status: "idle",
    starting,
    stopped: false,
    current_mode_id: null,
    sandbox: null,
    sandbox_choice,
    checkpoints: null,
    git,
    archived: false,
    pinned: false,
    waiting: 0,
    files_changed: 0,
    counted_by_checkpoints: false,
    cost: null,
    updated_at: ts,
    last_seq: seq,
    message_count: 0,
    tool_call_count: 0,
    bytes: 0,
  };
}
