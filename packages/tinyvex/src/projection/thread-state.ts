// What the writer must know of a thread to take its next event: its row, the text that is open, what runs. Loaded when a
// thread is touched, kept for the few that are active, so that memory does not follow the number of threads.
import type { DatabaseSync } from "node:sqlite";
import type { ThreadRow, ThreadStatus } from "@signalbox/protocol";
import { integer, type Row, text, textOrNull } from "../database/row.ts";
import type { Segment } from "./segment.ts";
import type { ToolCall } from "./tool-call.ts";

/** Who gave the thread its title: an agent's title never replaces a person's. */
export type TitleBy = "person" | "agent";

/** A thread's row as the writer changes it. */
export interface ThreadRecord {
  readonly id: string;
  readonly agent_id: string;
  readonly cwd: string;
  readonly parent_thread_id: string | null;
  readonly created_at: number;
  session_id: string | null;
  title: string | null;
  title_by: TitleBy | null;
  status: ThreadStatus;
  /** What the thread shows when nothing runs and nothing waits. */
  rest_status: ThreadStatus;
  current_mode_id: string | null;
  archived: boolean;
  updated_at: number;
  last_seq: number;
  message_count: number;
  tool_call_count: number;
  bytes: number;
}

export interface ThreadState {
  readonly record: ThreadRecord;
  segment: Segment | null;
  readonly runningTurns: Set<string>;
  pendingPermissions: number;
  pendingElicitations: number;
  /** Tool calls touched lately, by id. */
  readonly toolCalls: Map<string, ToolCall>;
  /** True when something that the list of threads shows has changed in this window. */
  listed: boolean;
}

export function toThreadRow(record: ThreadRecord): ThreadRow {
  const { id, agent_id, session_id, cwd, title, status, current_mode_id, archived } = record;
  const { parent_thread_id, created_at, updated_at, last_seq } = record;
  return {
    id,
    agent_id,
    session_id,
    cwd,
    title,
    status,
    current_mode_id,
    archived,
    parent_thread_id,
    created_at,
    updated_at,
    last_seq,
  };
}

export function readThreadRecord(row: Row): ThreadRecord {
  return {
    id: text(row, "id"),
    agent_id: text(row, "agent_id"),
    session_id: textOrNull(row, "session_id"),
    cwd: text(row, "cwd"),
    title: textOrNull(row, "title"),
    title_by: row["title_by"] === "person" || row["title_by"] === "agent" ? row["title_by"] : null,
    status: readStatus(row, "status"),
    rest_status: readStatus(row, "rest_status"),
    current_mode_id: textOrNull(row, "current_mode_id"),
    archived: integer(row, "archived") === 1,
    parent_thread_id: textOrNull(row, "parent_thread_id"),
    created_at: integer(row, "created_at"),
    updated_at: integer(row, "updated_at"),
    last_seq: integer(row, "last_seq"),
    message_count: integer(row, "message_count"),
    tool_call_count: integer(row, "tool_call_count"),
    bytes: integer(row, "bytes"),
  };
}

const STATUSES: readonly ThreadStatus[] = ["idle", "running", "waiting", "interrupted", "failed", "closed"];

function readStatus(row: Row, column: string): ThreadStatus {
  return STATUSES.find((status) => status === row[column]) ?? "idle";
}

/** The table of threads, for the writer. */
export class ThreadTable {
  readonly #find;
  readonly #insert;
  readonly #update;

  constructor(database: DatabaseSync) {
    this.#find = database.prepare("SELECT * FROM threads WHERE id = ? AND deleting = 0");
    this.#insert = database.prepare(
      `INSERT INTO threads(id, agent_id, cwd, parent_thread_id, created_at, session_id, title, title_by, status, rest_status,
         current_mode_id, archived, updated_at, last_seq, message_count, tool_call_count, bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#update = database.prepare(
      `UPDATE threads SET session_id = ?, title = ?, title_by = ?, status = ?, rest_status = ?, current_mode_id = ?, archived = ?,
         updated_at = ?, last_seq = ?, message_count = ?, tool_call_count = ?, bytes = ?
       WHERE id = ?`,
    );
  }

  find(id: string): ThreadRecord | null {
    const row = this.#find.get(id);
    return row === undefined ? null : readThreadRecord(row);
  }

  insert(record: ThreadRecord): void {
    const { id, agent_id, cwd, parent_thread_id, created_at } = record;
    this.#insert.run(id, agent_id, cwd, parent_thread_id, created_at, ...changing(record));
  }

  update(record: ThreadRecord): void {
    this.#update.run(...changing(record), record.id);
  }
}

function changing(record: ThreadRecord): (string | number | null)[] {
  return [
    record.session_id,
    record.title,
    record.title_by,
    record.status,
    record.rest_status,
    record.current_mode_id,
    record.archived ? 1 : 0,
    record.updated_at,
    record.last_seq,
    record.message_count,
    record.tool_call_count,
    record.bytes,
  ];
}
