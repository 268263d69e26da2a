// The tool calls of a thread: found by id or made, wherever their first news comes from; none stays open without a turn.
import type { DatabaseSync } from "node:sqlite";
import type { Change, Json, JsonObject } from "@signalbox/protocol";
import {
  integer,
  integerOrNull,
  json,
  jsonArray,
  jsonObjectOrNull,
  type Row,
  text,
  textOrNull,
} from "../database/row.ts";
import type { LoggedEvent } from "./event.ts";
import type { Messages } from "./messages.ts";
import type { ThreadState } from "./thread-state.ts";
import { abandonToolCall, isOpen, newToolCall, type ToolCall, toToolCallRow, updateToolCall } from "./tool-call.ts";

/** More calls than this are not remembered between windows; they are read again when needed. */
const REMEMBERED = 32;

export class ToolCalls {
  readonly #messages: Messages;
  readonly #statements;

  constructor(database: DatabaseSync, messages: Messages) {
    this.#messages = messages;
    this.#statements = {
      find: database.prepare("SELECT * FROM tool_calls WHERE thread_id = ? AND tool_call_id = ?"),
      open: database.prepare(
        "SELECT tool_call_id FROM tool_calls WHERE thread_id = ? AND ended_at IS NULL ORDER BY seq",
      ),
      asks: database.prepare(
        "SELECT 1 FROM permissions WHERE thread_id = ? AND tool_call_id = ? AND status = 'pending' LIMIT 1",
      ),
      save: database.prepare(
        `INSERT INTO tool_calls(thread_id, tool_call_id, seq, last_seq, title, name, kind, status, ended_by, content_json,
           locations_json, raw_input_json, raw_output_json, meta_json, created_at, started_at, ended_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT(thread_id, tool_call_id) DO UPDATE SET last_seq = excluded.last_seq, title = excluded.title,
           name = excluded.name, kind = excluded.kind, status = excluded.status, ended_by = excluded.ended_by,
           content_json = excluded.content_json, locations_json = excluded.locations_json,
           raw_input_json = excluded.raw_input_json, raw_output_json = excluded.raw_output_json,
           meta_json = excluded.meta_json, started_at = excluded.started_at, ended_at = excluded.ended_at`,
      ),
    };
  }

  /** News of a tool call, announced before or not; false when they do not say of which. */
  take(
    state: ThreadState,
    event: LoggedEvent,
    fields: JsonObject,
    isAnnouncement: boolean,
    changes: Change[],
  ): boolean {
    const { toolCallId: id } = fields;
    if (typeof id !== "string") return false;
    let call = this.#find(state, id);
    const isKnown = call !== null;
    if (call === null) {
      call = newToolCall(event, id);
      state.toolCalls.set(id, call);
      state.record.tool_call_count++;
    }
    // Whatever takes a new place in the timeline stands after the text that came before it.
    if (isAnnouncement || !isKnown) this.#messages.close(state, event, changes);
    updateToolCall(call, event, fields, isAnnouncement && isKnown);
    return true;
  }

  hasEnded(state: ThreadState, id: string): boolean {
    const call = this.#find(state, id);
    return call !== null && !isOpen(call);
  }

  /** Outside a turn nobody waits for a call: one that is still open then has ended, unless a person is being asked about it. */
  settle(state: ThreadState, event: LoggedEvent, id: string): void {
    const call = this.#find(state, id);
    if (call === null || !isOpen(call) || state.runningTurns.size > 0) return;
    if (this.#statements.asks.get(state.record.id, id) !== undefined) return;
    abandonToolCall(call, event, "No turn was running when this came, and nothing more was heard of it.");
  }

  /** The end of a turn or session: nothing stays open. */
  abandonAll(state: ThreadState, event: LoggedEvent, reason: string): void {
    this.#save(state);
    for (const row of this.#statements.open.all(state.record.id)) {
      const call = this.#find(state, text(row, "tool_call_id"));
      if (call !== null) abandonToolCall(call, event, reason);
    }
  }

  flush(state: ThreadState, changes: Change[]): void {
    for (const call of state.toolCalls.values()) {
      if (!call.unpublished) continue;
      call.unpublished = false;
      changes.push({
        type: "tinyvex.update",
        stream: "tool_calls",
        thread_id: call.threadId,
        seq: call.lastSeq,
        row: toToolCallRow(call),
      });
    }
    this.#save(state);
    for (const [id, call] of state.toolCalls) {
      if (state.toolCalls.size <= REMEMBERED && isOpen(call)) continue;
      state.toolCalls.delete(id);
    }
  }

  #save(state: ThreadState): void {
    for (const call of state.toolCalls.values()) {
      if (!call.unsaved) continue;
      this.#statements.save.run(
        call.threadId,
        call.id,
        call.seq,
        call.lastSeq,
        call.title,
        call.name,
        call.kind,
        call.status,
        call.endedBy,
        JSON.stringify(call.content),
        JSON.stringify(call.locations),
        jsonOrNull(call.rawInput),
        jsonOrNull(call.rawOutput),
        jsonOrNull(call.meta),
        call.createdAt,
        call.startedAt,
        call.endedAt,
      );
      call.unsaved = false;
    }
  }

  #find(state: ThreadState, id: string): ToolCall | null {
    const known = state.toolCalls.get(id);
    if (known !== undefined) return known;
    const row = this.#statements.find.get(state.record.id, id);
    if (row === undefined) return null;
    const call = readToolCall(row);
    state.toolCalls.set(id, call);
    return call;
  }
}

function jsonOrNull(value: Json): string | null {
  return value === null ? null : JSON.stringify(value);
}

export function readToolCall(row: Row): ToolCall {
  return {
    threadId: text(row, "thread_id"),
    id: text(row, "tool_call_id"),
    seq: integer(row, "seq"),
    lastSeq: integer(row, "last_seq"),
    title: text(row, "title"),
    name: textOrNull(row, "name"),
    kind: text(row, "kind"),
    status: text(row, "status"),
    endedBy: row["ended_by"] === "agent" || row["ended_by"] === "register" ? row["ended_by"] : null,
    content: jsonArray(row, "content_json"),
    locations: jsonArray(row, "locations_json"),
    rawInput: json(row, "raw_input_json"),
    rawOutput: json(row, "raw_output_json"),
    meta: jsonObjectOrNull(row, "meta_json"),
    createdAt: integer(row, "created_at"),
    startedAt: integerOrNull(row, "started_at"),
    endedAt: integerOrNull(row, "ended_at"),
    unsaved: false,
    unpublished: false,
  };
}
