// From the log to the rows: each event changes the rows of its thread, and at the end of a commit window the changes come
// out in order. Live writing and rebuilding both go through here, which is why a rebuild gives the same rows.
import type { DatabaseSync } from "node:sqlite";
import type { Change, JsonObject, ThreadChange } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
import { BlobStore } from "../blobs/blob-store.ts";
import { isChunkKind } from "../writer/chunk.ts";
import type { LoggedEvent } from "./event.ts";
import { FactProjector } from "./facts.ts";
import { Messages } from "./messages.ts";
import { Permissions } from "./permissions.ts";
import { SessionState } from "./session-state.ts";
import { Terminals } from "./terminals.ts";
import { type ThreadRecord, type ThreadState, toThreadRow } from "./thread-state.ts";
import { ThreadStates } from "./thread-states.ts";
import { ToolCalls } from "./tool-calls.ts";
import { Turns } from "./turns.ts";

const FACT = "signalbox/";

export class Projector {
  readonly states: ThreadStates;
  readonly #messages: Messages;
  readonly #toolCalls: ToolCalls;
  readonly #turns: Turns;
  readonly #permissions: Permissions;
  readonly #terminals: Terminals;
  readonly #session: SessionState;
  readonly #facts: FactProjector;
  /** Changes that later events of the window can no longer join, by thread in the order of their first event. */
  readonly #window = new Map<ThreadState, Change[]>();

  constructor(database: DatabaseSync) {
    const blobs = new BlobStore(database);
    this.#messages = new Messages(database, blobs);
    this.#toolCalls = new ToolCalls(database, this.#messages);
    this.#turns = new Turns(database);
    this.#permissions = new Permissions(database);
    this.#terminals = new Terminals(database, blobs);
    this.#session = new SessionState(database);
    this.states = new ThreadStates(database, this.#messages, this.#turns, this.#permissions);
    this.#facts = new FactProjector({
      messages: this.#messages,
      toolCalls: this.#toolCalls,
      turns: this.#turns,
      permissions: this.#permissions,
      terminals: this.#terminals,
      session: this.#session,
    });
  }

  /** Makes the thread that a `thread_created` event tells of. */
  createThread(event: LoggedEvent): ThreadRecord {
    const state = this.states.create(event);
    this.#window.set(state, []);
    return state.record;
  }

  apply(state: ThreadState, event: LoggedEvent): void {
    const changes = this.#window.get(state) ?? [];
    this.#window.set(state, changes);
    const { record } = state;
    record.last_seq = event.seq;
    record.updated_at = Math.max(record.updated_at, event.ts);
    if (event.kind.startsWith(FACT)) this.#facts.apply(state, event, event.kind.slice(FACT.length), changes);
    else if (isJsonObject(event.value)) this.#applyUpdate(state, event, event.value, changes);
    const status =
      state.pendingPermissions > 0 ? "waiting" : state.runningTurns.size > 0 ? "running" : record.rest_status;
    if (status === record.status) return;
    record.status = status;
    state.listed = true;
  }

  /** Writes what the window changed and gives it, each thread's changes by the event that made them. */
  endWindow(): Change[] {
    const all: Change[] = [];
    for (const [state, changes] of this.#window) {
      this.#messages.flush(state, changes);
      this.#toolCalls.flush(state, changes);
      this.#permissions.flush(state, changes);
      this.#terminals.flush(state, changes);
      this.#session.flush(state, changes);
      // Last: when a turn's end is heard, everything that belongs to it has been heard.
      this.#turns.flush(state, changes);
      this.states.save(state);
      for (const change of changes.filter(isThreadChange).toSorted((a, b) => a.seq - b.seq)) all.push(change);
      if (state.listed) all.push({ type: "tinyvex.update", stream: "threads", row: toThreadRow(state.record) });
      state.listed = false;
    }
    this.#window.clear();
    return all;
  }

  /** Forgets everything: the window was not stored, so what is known may be wrong. */
  reset(): void {
    this.#window.clear();
    this.states.clear();
    this.#turns.reset();
    this.#permissions.reset();
    this.#terminals.reset();
    this.#session.reset();
  }

  #applyUpdate(state: ThreadState, event: LoggedEvent, params: JsonObject, changes: Change[]): void {
    const { update } = params;
    if (!isJsonObject(update) || update["sessionUpdate"] !== event.kind) return;
    if (isChunkKind(event.kind)) {
      this.#messages.takeChunk(state, event, event.kind, update, changes);
      return;
    }
    switch (event.kind) {
      case "tool_call":
      case "tool_call_update":
        return this.#facts.takeToolCall(state, event, update, event.kind === "tool_call", changes);
      case "plan":
        if (!Array.isArray(update["entries"])) return;
        this.#messages.close(state, event, changes);
        return this.#session.setPlan(event, update["entries"]);
      case "current_mode_update": {
        const { currentModeId: mode } = update;
        if (typeof mode === "string") this.#session.setMode(state, event, mode);
        return;
      }
      case "config_option_update":
        return this.#session.set(event, "config_options_json", update["configOptions"] ?? null);
      case "available_commands_update":
        return this.#session.set(event, "available_commands_json", update["availableCommands"] ?? null);
      case "usage_update": {
        const { sessionUpdate: _, ...usage } = update;
        return this.#session.addUsage(event, usage);
      }
      case "session_info_update":
        return takeTitle(state, update);
      default:
        // A kind that nobody here knows: the log has it.
        return;
    }
  }
}

/** An agent may name a thread that has no name, or rename it, but never overwrites what a person wrote. */
function takeTitle(state: ThreadState, { title }: JsonObject): void {
  const { record } = state;
  if (typeof title !== "string" || title === "" || record.title_by === "person" || record.title === title) return;
  record.title = title;
  record.title_by = "agent";
  state.listed = true;
}

function isThreadChange(change: Change): change is ThreadChange {
  return change.stream !== "threads";
}
