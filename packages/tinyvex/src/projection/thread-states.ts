// The states of the threads that were active last, and no more: the others are read again when something comes for them.
import type { DatabaseSync } from "node:sqlite";
import type { ThreadCreated } from "@signalbox/protocol";
import { buildInsert, buildSelect, buildUpdate } from "../database/table.ts";
import { threads } from "../database/tables.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import type { SearchIndex } from "../search/search-index.ts";
import type { Messages } from "./messages.ts";
import type { Questions } from "./questions.ts";
import { newThreadRecord, type ThreadState } from "./thread-state.ts";
import type { Turns } from "./turns.ts";

const maxRemembered = 64;
/** A title is found at the beginning of its thread. */
const threadSeq = 1;

interface ThreadParts {
  readonly messages: Messages;
  readonly turns: Turns;
  readonly questions: Questions;
  readonly search: Pick<SearchIndex, "queue">;
}

export class ThreadStates {
  readonly #find;
  readonly #insert;
  readonly #update;
  readonly #updateActivity;
  readonly #messages: Messages;
  readonly #turns: Turns;
  readonly #questions: Questions;
  readonly #search: Pick<SearchIndex, "queue">;
  /** The most recently used last. */
  readonly #states = new Map<string, ThreadState>();
  /** The one that was used last: mostly it is used again. */
  #latest: ThreadState | null = null;

  constructor(database: DatabaseSync, parts: ThreadParts) {
    this.#find = buildSelect(database, threads, "WHERE id = ?");
    this.#insert = buildInsert(database, threads);
    const activity = ["updated_at", "last_seq", "message_count", "tool_call_count", "bytes"] as const;
    // Naming a column touches its indexes, also when it stays the same: most windows change only these.
    this.#updateActivity = buildUpdate(database, threads, activity, "id = ?");
    const all = Object.keys(threads.columns) as (keyof typeof threads.columns)[];
    this.#update = buildUpdate(database, threads, all, "id = ?");
    this.#messages = parts.messages;
    this.#turns = parts.turns;
    this.#questions = parts.questions;
    this.#search = parts.search;
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
      searchedTitle: record.title,
      listed: false,
    });
  }

  create(event: LoggedEvent, fact: ThreadCreated): ThreadState {
    const record = newThreadRecord(event, fact);
    this.#insert(record);
    return this.#remember({
      record,
      segments: new Map(),
      subAgents: new Map(),
      runningTurns: new Set(),
      pendingQuestions: 0,
      toolCalls: new Map(),
      searchedTitle: null,
      listed: true,
    });
  }

  save(state: ThreadState): void {
    const update = state.listed ? this.#update : this.#updateActivity;
    update(state.record, state.record.id);
    const { id, title } = state.record;
    if (title === state.searchedTitle) return;
    this.#search.queue(id, threadSeq, "thread", id);
    state.searchedTitle = title;
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
