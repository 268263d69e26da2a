// The tool calls of a thread: found by id or made, wherever their first news comes from; none stays open without a turn.
import type { DatabaseSync } from "node:sqlite";
import {
  type Change,
  isHostItem,
  partsOfCallId,
  readParentCall,
  subAgentCallId,
  type ToolCallFields,
  toolCallColumns,
  toolCallMs,
} from "@signalbox/protocol";
import type { BlobStore } from "../blobs/blob-store.ts";
import { text } from "../database/row.ts";
import { buildInsert, buildSelect, buildUpdate, pickColumns } from "../database/table.ts";
import { toolCalls } from "../database/tables.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { boundFields } from "./bound-fields.ts";
import { FileChanges } from "./file-changes.ts";
import type { Messages } from "./messages.ts";
import type { Terminals } from "./terminals.ts";
import type { ThreadState } from "./thread-state.ts";
import { abandonToolCall, addWaits, isOpen, newToolCall, type ToolCall, updateToolCall } from "./tool-call.ts";
import type { Wait } from "./waits.ts";

/** More calls than this are not remembered between windows; they are read again when needed. */
const maxRemembered = 32;

const ofCall = "thread_id = ? AND tool_call_id = ?";
const changing = [
  "last_seq",
  "title",
  "name",
  "kind",
  "status",
  "content",
  "locations",
  "raw_input",
  "raw_output",
  "meta",
  "started_at",
  "waited_ms",
  "waits",
  "took_ms",
  "paths",
  "parent_tool_call_id",
  "ended_by",
] as const;

interface ToolCallNews {
  /** The fields as they were sent, with long texts, and as a row has them, with previews. */
  readonly sent: ToolCallFields;
  readonly shown: ToolCallFields;
  readonly isAnnouncement: boolean;
  /** The call of the sub-agent that it comes from, where neither its id nor its `_meta` says so. */
  readonly parent?: string | null;
}

export class ToolCalls {
  readonly #messages: Messages;
  readonly #terminals: Terminals;
  readonly #blobs: BlobStore;
  readonly #search: SearchIndex;
  readonly #fileChanges: FileChanges;
  readonly #statements;

  constructor(database: DatabaseSync, messages: Messages, terminals: Terminals, blobs: BlobStore, search: SearchIndex) {
    this.#search = search;
    this.#messages = messages;
    this.#terminals = terminals;
    this.#blobs = blobs;
    this.#fileChanges = new FileChanges(database);
    this.#statements = {
      find: buildSelect(database, toolCalls, `WHERE ${ofCall}`),
      open: database.prepare(
        "SELECT tool_call_id FROM tool_calls WHERE thread_id = ? AND ended_at IS NULL ORDER BY seq",
      ),
      asks: database.prepare(
        "SELECT 1 FROM permissions WHERE thread_id = ? AND tool_call_id = ? AND status = 'pending' LIMIT 1",
      ),
      insert: buildInsert(database, toolCalls),
      // Two ways to update: naming a column touches its indexes, also when it stays the same.
      update: buildUpdate(database, toolCalls, changing, ofCall),
      end: buildUpdate(database, toolCalls, [...changing, "ended_at"], ofCall),
    };
  }

  /** Applies an agent's news of a tool call, with what they report of a terminal; outside a turn the call does not stay open. */
  apply(state: ThreadState, event: LoggedEvent, news: ToolCallNews, changes: Change[]): void {
    const { toolCallId: id } = news.shown;
    const hadEnded = this.hasEnded(state, id);
    this.#merge(state, event, id, news, changes);
    const call = this.#find(state, id);
    // Its changes count when it has completed, and again when a later update corrects them.
    if (call?.row.status === "completed" && (!hadEnded || news.shown.content !== undefined)) {
      this.#fileChanges.record(state, call.row);
    }
    this.#terminals.applyMeta(event, news.sent, hadEnded);
    this.settle(state, event, id);
  }

  /** Merges news into a tool call, announced before or not. */
  #merge(state: ThreadState, event: LoggedEvent, id: string, news: ToolCallNews, changes: Change[]): void {
    let call = this.#find(state, id);
    const isKnown = call !== null;
    if (call === null) {
      call = newToolCall(event, id, state.record.agent_id);
      state.toolCalls.set(id, call);
      if (!isHostItem(call.row)) state.record.tool_call_count++;
    }
    const session = news.parent ?? partsOfCallId(id)?.subAgent ?? null;
    const parent = session ?? readParentCall(news.shown._meta);
    if (parent !== id) call.row.parent_tool_call_id ??= parent;
    // Whatever takes a new place in the timeline stands after the text of its session that came before it.
    if (news.isAnnouncement || !isKnown) {
      this.#messages.close(state, event, call.row.parent_tool_call_id, changes);
      if (session === null) this.#messages.close(state, event, null, changes);
    }
    updateToolCall(call, event, boundFields(news.shown, event, this.#blobs), news.isAnnouncement);
  }

  /** The id of the call that stands for the sub-agent with this session; null for the thread's own session, and for any that is not known. */
  findSubAgent(state: ThreadState, sessionId: string | null): string | null {
    if (sessionId === null || sessionId === "" || sessionId === state.record.session_id) return null;
    const known = state.subAgents.get(sessionId);
    if (known === false) return null;
    const id = subAgentCallId(sessionId);
    const isKnown = known ?? this.#find(state, id) !== null;
    if (state.subAgents.size >= maxRemembered) state.subAgents.clear();
    state.subAgents.set(sessionId, isKnown);
    return isKnown ? id : null;
  }

  hasEnded(state: ThreadState, id: string): boolean {
    const call = this.#find(state, id);
    return call !== null && !isOpen(call);
  }

  /** A question about the call was open from one moment to another. */
  addWait(state: ThreadState, event: LoggedEvent, id: string, wait: Wait): void {
    const call = this.#find(state, id);
    if (call !== null && wait[1] > wait[0]) addWaits(call, event, [wait]);
  }

  /** Outside a turn no call stays open: one that is still open then has ended, unless a person is being asked about it. */
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
    this.#save(state);
    for (const call of state.toolCalls.values()) {
      if (!call.unpublished) continue;
      call.unpublished = false;
      const row = pickColumns(toolCallColumns, call.row);
      changes.push({ type: "tinyvex.update", stream: "tool_calls", thread_id: row.thread_id, seq: row.last_seq, row });
    }
    for (const [id, call] of state.toolCalls) {
      if (state.toolCalls.size <= maxRemembered && isOpen(call)) continue;
      state.toolCalls.delete(id);
    }
  }

  #save(state: ThreadState): void {
    for (const call of state.toolCalls.values()) {
      if (!call.unsaved) continue;
      const { row } = call;
      row.took_ms = toolCallMs(row);
      const { insert, update, end } = this.#statements;
      if (!call.isStored) insert(row);
      else if (isOpen(call)) update(row, row.thread_id, row.tool_call_id);
      else end(row, row.thread_id, row.tool_call_id);
      call.isStored = true;
      call.unsaved = false;
      if (!isOpen(call)) this.#search.queue(row.thread_id, row.seq, "tool_call", row.tool_call_id);
    }
  }

  #find(state: ThreadState, id: string): ToolCall | null {
    const known = state.toolCalls.get(id);
    if (known !== undefined) return known;
    const [row] = this.#statements.find(state.record.id, id);
    if (row === undefined) return null;
    const call = { row, isStored: true, unsaved: false, unpublished: false };
    state.toolCalls.set(id, call);
    return call;
  }
}
