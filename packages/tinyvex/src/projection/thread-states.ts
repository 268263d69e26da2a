// The states of the threads that were active last, and no more: the others are read again when something comes for them.
import type { DatabaseSync } from "node:sqlite";
import type { ThreadCreated } from "@signalbox/protocol";
import { buildInsert, buildSelect, buildUpdate } from "../database/table.ts";
import { threads } from "../database/tables.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import type { Messages } from "./messages.ts";
import type { Questions } from "./questions.ts";
import type { ThreadRecord, ThreadState } from "./thread-state.ts";
import type { Turns } from "./turns.ts";

const maxRemembered = 64;

export class ThreadStates {
  readonly #find;
  readonly #insert;
  readonly #update;
  readonly #updateActivity;
  readonly #messages: Messages;
  readonly #turns: Turns;
  readonly #questions: Questions;
  /** The most recently used last. */
  readonly #states = new Map<string, ThreadState>();
  /** The one that was used last: mostly it is used again. */
  #latest: ThreadState | null = null;

  constructor(database: DatabaseSync, messages: Messages, turns: Turns, questions: Questions) {
    this.#find = buildSelect(database, threads, "WHERE id = ? AND deleting = 0");
    this.#insert = buildInsert(database, threads);
    const activity = ["updated_at", "last_seq", "message_count", "tool_call_count", "bytes"] as const;
    // Naming a column touches its indexes, also when it stays the same: most windows change only these.
    this.#updateActivity = buildUpdate(database, threads, activity, "id = ?");
    this.#update = buildUpdate(
      database,
      threads,
      [
        "agent_id",
        "session_id",
        "title",
        "title_by",
        "status",
        "rest_status",
        "starting",
        "current_mode_id",
        "sandbox",
        "fork",
        "checkpoints",
        "git",
        "archived",
        "pinned",
        "waiting",
        "files_changed",
        "cost",
        ...activity,
      ],
      "id = ?",
    );
    this.#messages = messages;
    this.#turns = turns;
    this.#questions = questions;
  }

  get(threadId: string): ThreadState | null {
    const latest = this.#latest;
    if (latest !== null && latest.record.id === threadId) return latest;
    const known = this.#states.get(threadId);
    if (known !== undefined) {
      this.#states.delete(threadId);
      return this.#remember(known);
    }
    const [record] = this.#find(threadId);
    if (record === undefined) return null;
    return this.#remember({
      record,
      segments: this.#messages.load(threadId),
      subAgents: new Map(),
      runningTurns: this.#turns.running(threadId),
      pendingQuestions: this.#questions.countPending(threadId),
      toolCalls: new Map(),
      listed: false,
    });
  }

  create(event: LoggedEvent, fact: ThreadCreated): ThreadState {
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
    const record: ThreadRecord = {
      id: event.threadId,
      agent_id,
      cwd,
      parent_thread_id,
      fork,
      additional_directories,
      created_at: event.ts,
      session_id: null,
      title,
      title_by: title === null ? null : "person",
      status: "idle",
      rest_status: "idle",
      starting,
      current_mode_id: null,
      sandbox: null,
      sandbox_choice,
      checkpoints: null,
      git,
      archived: false,
      pinned: false,
      waiting: 0,
      files_changed: 0,
      cost: null,
      updated_at: event.ts,
      last_seq: event.seq,
      message_count: 0,
      tool_call_count: 0,
      bytes: 0,
    };
    this.#insert(record);
    return this.#remember({
      record,
      segments: new Map(),
      subAgents: new Map(),
      runningTurns: new Set(),
      pendingQuestions: 0,
      toolCalls: new Map(),
      listed: true,
    });
  }

  save(state: ThreadState): void {
    const update = state.listed ? this.#update : this.#updateActivity;
    update(state.record, state.record.id);
  }

  /** Lets go of the least recently used; only between windows, when everything they know is stored. */
  trim(): void {
    for (const id of this.#states.keys()) {
      if (this.#states.size <= maxRemembered) return;
      this.#states.delete(id);
    }
  }

  forget(threadId: string): void {
    this.#states.delete(threadId);
    this.#latest = null;
  }

  clear(): void {
    this.#states.clear();
    this.#latest = null;
  }

  #remember(state: ThreadState): ThreadState {
    this.#states.set(state.record.id, state);
    this.#latest = state;
    return state;
  }
}
