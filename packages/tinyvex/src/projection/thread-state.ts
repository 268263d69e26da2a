// Declares what the writer needs to know of a thread to apply its next event: its row, its open text, what runs. It is loaded for the few
// active threads, so that memory does not grow with the number of threads.
import { type ThreadRow, threadColumns } from "@signalbox/protocol";
import { type Draft, pickColumns } from "../database/table.ts";
import type { threads } from "../database/tables.ts";
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
  /** True when something that the list of threads shows has changed in this window. */
  listed: boolean;
}

export function toThreadRow(record: ThreadRecord): ThreadRow {
  return pickColumns(threadColumns, record);
}
