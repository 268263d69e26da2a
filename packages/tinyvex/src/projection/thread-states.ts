// The states of the threads that were active last, and no more: the others are read again when something comes for them.
import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
import type { LoggedEvent } from "../log/event-log.ts";
import type { Elicitations } from "./elicitations.ts";
import type { Messages } from "./messages.ts";
import type { Permissions } from "./permissions.ts";
import { type ThreadRecord, type ThreadState, ThreadTable } from "./thread-state.ts";
import type { Turns } from "./turns.ts";

const REMEMBERED = 64;

export class ThreadStates {
  readonly #table: ThreadTable;
  readonly #messages: Messages;
  readonly #turns: Turns;
  readonly #permissions: Permissions;
  readonly #elicitations: Elicitations;
  /** The most recently used last. */
  readonly #states = new Map<string, ThreadState>();
  /** The one that was used last: mostly it is used again. */
  #latest: ThreadState | null = null;

  constructor(
    database: DatabaseSync,
    messages: Messages,
    turns: Turns,
    permissions: Permissions,
    elicitations: Elicitations,
  ) {
    this.#table = new ThreadTable(database);
    this.#messages = messages;
    this.#turns = turns;
    this.#permissions = permissions;
    this.#elicitations = elicitations;
  }

  get(threadId: string): ThreadState | null {
    const latest = this.#latest;
    if (latest !== null && latest.record.id === threadId) return latest;
    const known = this.#states.get(threadId);
    if (known !== undefined) {
      this.#states.delete(threadId);
      return this.#remember(known);
    }
    const record = this.#table.find(threadId);
    if (record === null) return null;
    return this.#remember({
      record,
      segment: this.#messages.load(threadId),
      runningTurns: this.#turns.running(threadId),
      pendingPermissions: this.#permissions.countPending(threadId),
      pendingElicitations: this.#elicitations.countPending(threadId),
      toolCalls: new Map(),
      listed: false,
    });
  }

  create(event: LoggedEvent): ThreadState {
    const fact: JsonObject = isJsonObject(event.value) ? event.value : {};
    const title = stringOrNull(fact["title"]);
    const record: ThreadRecord = {
      id: event.threadId,
      agent_id: stringOrNull(fact["agent_id"]) ?? "",
      cwd: stringOrNull(fact["cwd"]) ?? "",
      parent_thread_id: stringOrNull(fact["parent_thread_id"]),
      created_at: event.ts,
      session_id: null,
      title,
      title_by: title === null ? null : "person",
      status: "idle",
      rest_status: "idle",
      current_mode_id: null,
      archived: false,
      updated_at: event.ts,
      last_seq: event.seq,
      message_count: 0,
      tool_call_count: 0,
      bytes: 0,
    };
    this.#table.insert(record);
    return this.#remember({
      record,
      segment: null,
      runningTurns: new Set(),
      pendingPermissions: 0,
      pendingElicitations: 0,
      toolCalls: new Map(),
      listed: true,
    });
  }

  save(state: ThreadState): void {
    this.#table.update(state.record);
  }

  /** Lets go of the least recently used; only between windows, when everything they know is stored. */
  trim(): void {
    for (const id of this.#states.keys()) {
      if (this.#states.size <= REMEMBERED) return;
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

function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
