// From the log to the rows: each event changes the rows of its thread, and at the end of a commit window the changes come
// out in order. Live writing and rebuilding both go through here, which is why a rebuild gives the same rows.
import type { DatabaseSync } from "node:sqlite";
import {
  assertNever,
  buildNestedCallId,
  type Change,
  isFact,
  type Json,
  type MessageChunk,
  type PlanWithId,
  readParentCall,
  readUpdate,
  type SubAgentUpdate,
  type ThreadChange,
  type ToolCallFields,
  type Update,
  type UsageUpdate,
} from "@signalbox/protocol";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { EventLog, LoggedEvent } from "../log/event-log.ts";
import { SearchIndex } from "../search/search-index.ts";
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
    this.states = new ThreadStates(database, {
      messages: this.#messages,
      turns: this.#turns,
      questions: this.#questions,
      search: this.search,
    });
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
  openToolCall(state: ThreadState, kind: string, value: Json, update: Update | null): string | null {
    const id = update === null ? askedCall(kind, value) : this.#findCall(state, update);
    return id === null || this.hasEnded(state, id) ? null : id;
  }

  #findCall(state: ThreadState, update: Update): string | null {
    if (update.type !== "tool_call") return null;
    return nestCall(this.#toolCalls.findSubAgent(state, update.sessionId), update.call).toolCallId;
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

  /** `update`: the event as an update; null for a fact, and for what is neither. */
  apply(state: ThreadState, event: LoggedEvent, update: Update | null): void {
    const changes = this.#window.get(state) ?? [];
    this.#window.set(state, changes);
    const { record } = state;
    record.last_seq = event.seq;
    record.updated_at = Math.max(record.updated_at, event.ts);
    if (event.kind.startsWith(factPrefix)) {
      // A fact of a newer version, and what could not be read: the log has it.
      const fact = buildPreview(event, this.#blobs.reader);
      if (isFact(fact)) this.#facts.apply(state, event, fact, changes);
    } else if (update !== null) this.#applyUpdate(state, event, update, changes);
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

  #applyUpdate(state: ThreadState, event: LoggedEvent, sent: Update, changes: Change[]): void {
    const subAgent = this.#toolCalls.findSubAgent(state, sent.sessionId);
    switch (sent.type) {
      case "message_chunk":
        return this.#messages.applyChunk(state, event, sent, findSpeaker(sent, subAgent), changes);
      case "session_message":
        return this.#messages.applyMessage(state, event, sent, findSpeaker(sent, subAgent), changes);
      case "notice": {
        const { text } = this.#preview(event, sent);
        return this.#messages.addNotice(state, event, text, findSpeaker(sent, subAgent), changes);
      }
      case "tool_call":
      case "compaction": {
        const shown = nestCall(subAgent, this.#preview(event, sent).call);
        const isAnnouncement = sent.type === "tool_call" && sent.isAnnouncement;
        return this.#toolCalls.apply(state, event, { sent: sent.call, shown, isAnnouncement }, changes);
      }
      case "sub_agent":
        return this.#applySubAgent(state, event, this.#preview(event, sent), subAgent, changes);
      case "plan":
      case "plan_with_id":
      case "mode":
      case "config_options":
      case "commands":
      case "usage":
      case "session_info":
        // The plan, the modes and the rest of a sub-agent's session are not those of the thread: the log has them.
        if (subAgent === null) this.#applyState(state, event, this.#preview(event, sent), changes);
        return;
      case "compaction_summary":
      case "other":
      case "malformed":
        // The log has it.
        return;
      default:
        return assertNever(sent);
    }
  }

  /** An update as the rows have it, with previews of its long texts. The text of a message is read whole instead. */
  #preview<Sent extends Update>(event: LoggedEvent, sent: Sent): Sent {
    if (event.refs.length === 0) return sent;
    const shown = readUpdate(buildPreview(event, this.#blobs.reader));
    return isOfType(shown, sent) ? shown : sent;
  }

  #applySubAgent(
    state: ThreadState,
    event: LoggedEvent,
    { announced }: SubAgentUpdate,
    parent: string | null,
    changes: Change[],
  ): void {
    // The thread's own session is no sub-agent of itself.
    if (announced === null || announced.sessionId === state.record.session_id) return;
    const { sessionId, call } = announced;
    const isKnown = this.#toolCalls.findSubAgent(state, sessionId) !== null;
    const shown = isKnown ? call : { title: "Sub-agent", ...call };
    this.#toolCalls.apply(state, event, { sent: shown, shown, isAnnouncement: false, parent }, changes);
    state.subAgents.set(sessionId, true);
  }

  #applyState(state: ThreadState, event: LoggedEvent, update: SettingsUpdate, changes: Change[]): void {
    switch (update.type) {
      case "plan":
        return this.#applyPlan(state, event, { planId: onlyPlan, entries: update.entries }, changes);
      case "plan_with_id":
        return update.plan === null ? undefined : this.#applyPlan(state, event, update.plan, changes);
      case "mode":
        return this.#session.setMode(state, event, update.modeId);
      case "config_options":
        return this.#session.set(event, { config_options: update.configOptions });
      case "commands":
        return this.#session.set(event, { available_commands: update.commands });
      case "usage": {
        const { sessionUpdate: _, ...usage } = update.fields;
        this.#session.addUsage(event, usage);
        return this.#recordCost(state, event, update.cost);
      }
      case "session_info":
        return applyTitle(state, update.title);
      default:
        return assertNever(update);
    }
  }

  #applyPlan(state: ThreadState, event: LoggedEvent, plan: PlanWithId, changes: Change[]): void {
    this.#messages.close(state, event, null, changes);
    this.#session.setPlan(event, plan);
  }

  #recordCost(state: ThreadState, event: LoggedEvent, cost: UsageUpdate["cost"]): void {
    if (cost === null) return;
    const { amount, currency } = cost;
    const spent = this.#session.recordCost(event, amount);
    if (spent < 0) return;
    this.#turns.addCost(event, spent, currency);
    if (spent === 0) return;
    const { record } = state;
    const before = record.cost?.currency === currency ? record.cost.amount : 0;
    record.cost = { amount: before + spent, currency };
    state.listed = true;
  }
}

/** Updates about the thread beside its timeline. */
type SettingsUpdate = Extract<
  Update,
  { type: "plan" | "plan_with_id" | "mode" | "config_options" | "commands" | "usage" | "session_info" }
>;

function isOfType<Sent extends Update>(update: Update, sent: Sent): update is Sent {
  return update.type === sent.type;
}

/** The call of the sub-agent that says it: by its session, or by what its agent wrote beside it. */
function findSpeaker({ fields }: Pick<MessageChunk, "fields">, subAgent: string | null): string | null {
  return subAgent ?? readParentCall(fields._meta);
}

/** The tool call that a question is about. */
function askedCall(kind: string, value: Json): string | null {
  if (kind !== asked || !isFact(value) || value.type !== "permission_requested") return null;
  return value.tool_call?.toolCallId ?? null;
}

function nestCall(subAgent: string | null, call: ToolCallFields): ToolCallFields {
  return subAgent === null ? call : { ...call, toolCallId: buildNestedCallId(subAgent, call.toolCallId) };
}

/** An agent may name a thread that has no name, or rename it, but never overwrites what a person wrote. */
function applyTitle(state: ThreadState, title: string | null): void {
  const { record } = state;
  if (title === null || title === "" || record.title_by === "person" || record.title === title) return;
  record.title = title;
  record.title_by = "agent";
  state.listed = true;
}

function isThreadChange(change: Change): change is ThreadChange {
  return change.stream !== "threads";
}
