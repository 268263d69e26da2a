// From the log to the rows: each event changes the rows of its thread, and at the end of a commit window the changes come
// out in order. Live writing and rebuilding both go through here, which is why a rebuild gives the same rows.
import type { DatabaseSync } from "node:sqlite";
import type { Change, Json, JsonObject, ThreadChange } from "@signalbox/protocol";
import {
  announcedSubAgent,
  buildNestedCallId,
  compactionCall,
  isFact,
  isJsonObject,
  isPlanEntry,
  noticeText,
  readParentCall,
  readPlan,
  subAgentCall,
} from "@signalbox/protocol";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { EventLog, LoggedEvent } from "../log/event-log.ts";
import { SearchIndex } from "../search/search-index.ts";
import { type ChunkKind, isChunkKind } from "../writer/chunk.ts";
import { factPrefix } from "../writer/entry-queue.ts";
import { buildPreview } from "./big-values.ts";
import { FactProjector } from "./facts.ts";
import { Messages } from "./messages.ts";
import { Questions } from "./questions.ts";
import { SessionState } from "./session-state.ts";
import { Terminals } from "./terminals.ts";
import { type ThreadRecord, type ThreadState, toThreadRow } from "./thread-state.ts";
import { ThreadStates } from "./thread-states.ts";
import { ToolCalls } from "./tool-calls.ts";
import { Turns } from "./turns.ts";

/** The id of the plan of an agent that has one plan and no ids. */
const onlyPlan = "";
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
    const params = isJsonObject(value) ? value : {};
    const fields = params[kind === asked ? "tool_call" : "update"];
    const sent = isJsonObject(fields) ? fields.toolCallId : undefined;
    if (typeof sent !== "string") return null;
    const subAgent = kind === asked ? null : this.#toolCalls.subAgentOf(state, params.sessionId);
    const id = subAgent === null ? sent : buildNestedCallId(subAgent, sent);
    return this.hasEnded(state, id) ? null : id;
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
      const fact = buildPreview(event, this.#blobs.reader);
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
    const subAgent = this.#toolCalls.subAgentOf(state, sessionIn(event.value));
    const speaker = subAgent ?? readParentCall(sent._meta);
    // The text of a message is read whole; everything else as the row has it.
    if (isChunkKind(kind)) return this.#applyChunk(state, event, kind, sent, speaker, changes);
    const update = updateOf(buildPreview(event, this.#blobs.reader)) ?? sent;
    switch (kind) {
      case "tool_call":
      case "tool_call_update": {
        const isAnnouncement = kind === "tool_call";
        const news = { sent: callUnder(subAgent, sent), shown: callUnder(subAgent, update), isAnnouncement };
        return this.#toolCalls.apply(state, event, news, changes);
      }
      case "compaction_update": {
        const [all, shown] = [callUnder(subAgent, compactionCall(sent)), callUnder(subAgent, compactionCall(update))];
        return this.#toolCalls.apply(state, event, { sent: all, shown, isAnnouncement: false }, changes);
      }
      case "subagent_update":
        return this.#applySubAgent(state, event, update, subAgent, changes);
      case "session_message":
      case "session_message_chunk":
        for (const content of Array.isArray(sent.content) ? sent.content : [sent.content ?? null])
          this.#messages.takeMessage(state, event, { ...sent, content }, speaker, changes);
        return;
      case "notice":
        return this.#messages.addNotice(state, event, noticeText(update), speaker, changes);
      default:
        // The plan, the modes and the rest of a sub-agent's session are not those of the thread: the log has them.
        if (subAgent === null) this.#applyState(state, event, update, changes);
    }
  }

  /** Applies a chunk. A prompt to a sub-agent is not the person's. */
  #applyChunk(
    state: ThreadState,
    event: LoggedEvent,
    kind: ChunkKind,
    sent: JsonObject,
    speaker: string | null,
    changes: Change[],
  ): void {
    if (speaker !== null && kind === "user_message_chunk") {
      return this.#messages.takeMessage(state, event, sent, speaker, changes);
    }
    this.#messages.takeChunk(state, event, kind, sent, speaker, changes);
  }

  #applySubAgent(
    state: ThreadState,
    event: LoggedEvent,
    update: JsonObject,
    parent: string | null,
    changes: Change[],
  ): void {
    const sessionId = announcedSubAgent(update);
    // The thread's own session is no sub-agent of itself.
    if (sessionId === null || sessionId === state.record.session_id) return;
    const isKnown = this.#toolCalls.subAgentOf(state, sessionId) !== null;
    const call = subAgentCall(sessionId, update);
    const shown = isKnown ? call : { title: "Sub-agent", ...call };
    this.#toolCalls.apply(state, event, { sent: shown, shown, isAnnouncement: false, parent }, changes);
    state.subAgents.set(sessionId, true);
  }

  #applyState(state: ThreadState, event: LoggedEvent, update: JsonObject, changes: Change[]): void {
    switch (event.kind) {
      case "plan":
        if (!Array.isArray(update.entries)) return;
        this.#messages.close(state, event, null, changes);
        return this.#session.setPlan(event, { planId: onlyPlan, entries: update.entries.filter(isPlanEntry) });
      case "plan_update":
      case "plan_removed": {
        const plan = readPlan(update);
        if (plan === null) return;
        this.#messages.close(state, event, null, changes);
        return this.#session.setPlan(event, plan);
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
    if (spent < 0) return;
    const currency = typeof cost.currency === "string" ? cost.currency : "USD";
    this.#turns.addCost(event, spent, currency);
    if (spent === 0) return;
    const { record } = state;
    const before = record.cost?.currency === currency ? record.cost.amount : 0;
    record.cost = { amount: before + spent, currency };
    state.listed = true;
  }
}

function sessionIn(params: Json): Json | undefined {
  return isJsonObject(params) ? params.sessionId : undefined;
}

function callUnder(subAgent: string | null, fields: JsonObject): JsonObject {
  const { toolCallId } = fields;
  if (subAgent === null || typeof toolCallId !== "string") return fields;
  return { ...fields, toolCallId: buildNestedCallId(subAgent, toolCallId) };
}

function updateOf(params: Json): JsonObject | null {
  const update = isJsonObject(params) ? params.update : undefined;
  return isJsonObject(update) ? update : null;
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
