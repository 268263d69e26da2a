// From the log to the rows: each event changes the rows of its thread, and at the end of a commit window the changes come
// out in order. Live writing and rebuilding both go through here, which is why a rebuild gives the same rows.
import type { DatabaseSync } from "node:sqlite";
import type { Change, Json, JsonObject, PlanEntry, ThreadChange } from "@signalbox/protocol";
import { isFact, isJsonObject, isPlanEntry } from "@signalbox/protocol";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { EventLog, LoggedEvent } from "../log/event-log.ts";
import { SearchIndex } from "../search/search-index.ts";
import { isChunkKind } from "../writer/chunk.ts";
import { factPrefix } from "../writer/entry-queue.ts";
import { previewOf } from "./big-values.ts";
import { FactProjector } from "./facts.ts";
import { Messages } from "./messages.ts";
import { Questions } from "./questions.ts";
import { SessionState } from "./session-state.ts";
import { Terminals } from "./terminals.ts";
import { type ThreadRecord, type ThreadState, toThreadRow } from "./thread-state.ts";
import { ThreadStates } from "./thread-states.ts";
import { ToolCalls } from "./tool-calls.ts";
import { Turns } from "./turns.ts";

const asked = `${factPrefix}permission_requested`;

export class Projector {
  readonly states: ThreadStates;
  readonly search: SearchIndex;
  readonly #blobs: BlobStore;
  readonly #messages: Messages;
  readonly #toolCalls: ToolCalls;
  readonly #turns: Turns;
  readonly #questions: Questions;
  readonly #terminals: Terminals;
  readonly #session: SessionState;
  readonly #facts: FactProjector;
  /** Changes that later events of the window can no longer join, by thread in the order of their first event. */
  readonly #window = new Map<ThreadState, Change[]>();

  constructor(database: DatabaseSync, blobs: BlobStore, log: EventLog) {
    this.#blobs = blobs;
    this.search = new SearchIndex(database, blobs.reader);
    this.#messages = new Messages(database, blobs, this.search);
    this.#terminals = new Terminals(database, blobs, this.search);
    this.#toolCalls = new ToolCalls(database, this.#messages, this.#terminals, blobs, this.search);
    this.#turns = new Turns(database);
    this.#questions = new Questions(database);
    this.#session = new SessionState(database);
    this.states = new ThreadStates(database, this.#messages, this.#turns, this.#questions);
    this.#facts = new FactProjector({
      log,
      messages: this.#messages,
      toolCalls: this.#toolCalls,
      turns: this.#turns,
      questions: this.#questions,
      terminals: this.#terminals,
      session: this.#session,
    });
  }

  /** The tool call that an event will tell of, unless it has ended: then nothing more of it grows. */
  openToolCall(state: ThreadState, kind: string, value: Json): string | null {
    if (kind !== "tool_call" && kind !== "tool_call_update" && kind !== asked) return null;
    const fields = isJsonObject(value) ? value[kind === asked ? "tool_call" : "update"] : undefined;
    const id = isJsonObject(fields) ? fields.toolCallId : undefined;
    return typeof id === "string" && !this.hasEnded(state, id) ? id : null;
  }

  hasEnded(state: ThreadState, toolCallId: string): boolean {
    return this.#toolCalls.hasEnded(state, toolCallId);
  }

  /** Stores output of a terminal ahead of its event. */
  storeOutput(threadId: string, terminalId: string, text: string): ReturnType<Terminals["store"]> {
    return this.#terminals.store(threadId, terminalId, text);
  }

  /** Makes the thread of a `thread_created` event. */
  createThread(event: LoggedEvent): ThreadRecord {
    const { value: fact } = event;
    if (!isFact(fact) || fact.type !== "thread_created")
      throw new Error(`event ${event.kind} does not create a thread`);
    const state = this.states.create(event, fact);
    this.#window.set(state, []);
    return state.record;
  }

  apply(state: ThreadState, event: LoggedEvent): void {
    const changes = this.#window.get(state) ?? [];
    this.#window.set(state, changes);
    const { record } = state;
    record.last_seq = event.seq;
    record.updated_at = Math.max(record.updated_at, event.ts);
    if (event.kind.startsWith(factPrefix)) {
      // A fact of a newer version, and what could not be read: the log has it.
      const fact = previewOf(event, this.#blobs.reader);
      if (isFact(fact)) this.#facts.apply(state, event, fact, changes);
    } else this.#applyUpdate(state, event, changes);
    const isAsked = state.pendingQuestions > 0;
    const status = isAsked ? "waiting" : state.runningTurns.size > 0 ? "running" : record.rest_status;
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
      this.#questions.flush(state, changes);
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
    this.search.reset();
    this.#turns.reset();
    this.#questions.reset();
    this.#terminals.reset();
    this.#session.reset();
  }

  #applyUpdate(state: ThreadState, event: LoggedEvent, changes: Change[]): void {
    const { kind } = event;
    const sent = updateOf(event.value);
    if (sent === null || sent.sessionUpdate !== kind) return;
    // The text of a message is read whole; everything else as the row has it.
    if (isChunkKind(kind)) return this.#messages.takeChunk(state, event, kind, sent, changes);
    const update = updateOf(previewOf(event, this.#blobs.reader)) ?? sent;
    switch (kind) {
      case "tool_call":
      case "tool_call_update": {
        const news = { sent, shown: update, isAnnouncement: kind === "tool_call" };
        return this.#toolCalls.apply(state, event, news, changes);
      }
      case "compaction_update": {
        const news = { sent: compactionCall(sent), shown: compactionCall(update), isAnnouncement: false };
        return this.#toolCalls.apply(state, event, news, changes);
      }
      case "notice":
        return this.#messages.addNotice(state, event, noticeText(update), changes);
      case "plan":
        if (!Array.isArray(update.entries)) return;
        this.#messages.close(state, event, changes);
        return this.#session.setPlan(event, update.entries.filter(isPlanEntry));
      case "plan_update":
      case "plan_removed": {
        const entries = kind === "plan_removed" ? [] : entriesOfPlan(update.plan);
        if (entries === null) return;
        this.#messages.close(state, event, changes);
        return this.#session.setPlan(event, entries);
      }
      case "current_mode_update": {
        const { currentModeId: mode } = update;
        if (typeof mode === "string") this.#session.setMode(state, event, mode);
        return;
      }
      case "config_option_update":
        return this.#session.set(event, { config_options: update.configOptions ?? null });
      case "available_commands_update":
        return this.#session.set(event, { available_commands: update.availableCommands ?? null });
      case "usage_update": {
        const { sessionUpdate: _, ...usage } = update;
        this.#session.addUsage(event, usage);
        return this.#recordCost(state, event, usage);
      }
      case "session_info_update":
        return takeTitle(state, update);
      default:
        // A kind that is not known: the log has it.
        return;
    }
  }

  #recordCost(state: ThreadState, event: LoggedEvent, { cost }: JsonObject): void {
    if (!isJsonObject(cost) || typeof cost.amount !== "number") return;
    const spent = this.#session.recordCost(event, cost.amount);
    if (spent <= 0) return;
    const currency = typeof cost.currency === "string" ? cost.currency : "USD";
    this.#turns.addCost(event, spent, currency);
    const { record } = state;
    const before = record.cost?.currency === currency ? record.cost.amount : 0;
    record.cost = { amount: before + spent, currency };
    state.listed = true;
  }
}

function updateOf(params: Json): JsonObject | null {
  const update = isJsonObject(params) ? params.update : undefined;
  return isJsonObject(update) ? update : null;
}

/** A compaction has an id, a state and a summary, as a tool call has: the timeline shows it as one. */
function compactionCall({ compactionId, status, summary, error }: JsonObject): JsonObject {
  const blocks = Array.isArray(summary) ? summary : [];
  const failed = typeof error === "string" ? [{ type: "text", text: error }] : [];
  const content = [...blocks, ...failed].map((block) => ({ type: "content", content: block }));
  return {
    toolCallId: `compaction-${typeof compactionId === "string" ? compactionId : ""}`,
    title: "Compact the conversation",
    kind: "think",
    // A tool call has no other word for it.
    status: status === "cancelled" ? "failed" : status,
    ...(content.length === 0 ? {} : { content }),
  };
}

/** Not in the stable part of the protocol yet. A plan of text or in a file is one entry; null for what is none. The last plan is shown. */
function entriesOfPlan(plan: Json | undefined): readonly PlanEntry[] | null {
  if (!isJsonObject(plan)) return null;
  const { type, entries, content, uri } = plan;
  if (type === "items") return Array.isArray(entries) ? entries.filter(isPlanEntry) : null;
  const text = type === "markdown" ? content : type === "file" ? uri : undefined;
  return typeof text === "string" ? [{ content: text, priority: "medium", status: "in_progress" }] : null;
}

function noticeText({ title, description }: JsonObject): string {
  const parts = [title, description].filter((part) => typeof part === "string");
  return parts.filter((part) => part !== "").join("\n\n");
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
