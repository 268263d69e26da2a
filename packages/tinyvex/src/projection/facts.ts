// Applies the host's own facts to the rows. The end of a turn or session closes everything that was open in it.
import {
  assertNever,
  type Change,
  type CheckpointMade,
  type Fact,
  type FilesRestored,
  isFact,
  type PermissionRequested,
  readToolCall,
  type SessionStarted,
  type ThreadUpdated,
  toFields,
} from "@signalbox/protocol";
import type { EventLog, LoggedEvent } from "../log/event-log.ts";
import { isLongText } from "../log/long-text.ts";
import type { Messages } from "./messages.ts";
import type { Questions } from "./questions.ts";
import type { SessionState } from "./session-state.ts";
import type { Terminals } from "./terminals.ts";
import type { ThreadRecord, ThreadState } from "./thread-state.ts";
import type { ToolCalls } from "./tool-calls.ts";
import type { TurnEnd, Turns } from "./turns.ts";

interface Projections {
  readonly log: EventLog;
  readonly messages: Messages;
  readonly toolCalls: ToolCalls;
  readonly turns: Turns;
  readonly questions: Questions;
  readonly terminals: Terminals;
  readonly session: SessionState;
}

/** How a turn or session ended: the thread's status afterwards, and why what was open in it ends. */
interface Ending {
  readonly status: ThreadRecord["rest_status"];
  readonly reason: string;
}

export class FactProjector {
  readonly #rows: Projections;

  constructor(rows: Projections) {
    this.#rows = rows;
  }

  apply(state: ThreadState, event: LoggedEvent, fact: Fact, changes: Change[]): void {
    const { messages, turns, questions, terminals, toolCalls } = this.#rows;
    switch (fact.type) {
      case "thread_created":
        // The event that made the thread.
        return;
      case "thread_updated":
        return updateThread(state, fact);
      case "session_starting":
        state.record.starting = true;
        state.listed = true;
        return;
      case "session_started":
        return this.#startSession(state, event, fact);
      case "session_start_failed":
        return failStart(state);
      case "sandbox_changed":
        state.record.sandbox = fact.sandbox;
        state.listed = true;
        return;
      case "checkpoints_changed":
        state.record.checkpoints = fact.checkpoints;
        state.record.counted_by_checkpoints &&= fact.checkpoints.on;
        state.listed = true;
        return;
      case "git_changed":
        state.record.git = fact.git;
        state.listed = true;
        return;
      case "checkpoint_made":
        countFiles(state, fact);
        return turns.keepCheckpoint(event, fact);
      case "files_restored":
        countFiles(state, fact);
        return turns.addRestore(event, fact);
      case "session_ended": {
        const reason = `The session ended${fact.reason === null ? "" : `: ${fact.reason}`}.`;
        return this.#endSession(state, event, { status: fact.status, reason }, changes);
      }
      case "turn_queued":
        return turns.queue(event, fact);
      case "turn_edited":
        return turns.edit(event, fact.turn_id, fact.prompt);
      case "turn_removed":
        return turns.remove(event, fact.turn_id, changes);
      case "turn_started":
        return this.#startTurn(state, event, fact.turn_id, changes);
      case "turn_steered":
        return messages.addPrompt(state, event, event, changes);
      case "handed_over":
        return this.#handOver(state, event, fact.agent_id);
      case "turn_ended": {
        const { stop_reason, usage = null, model } = fact;
        if (model !== undefined) turns.setModel(event, fact.turn_id, model);
        const ending = { status: "idle", reason: `The turn ended (${stop_reason}) before this did.` } as const;
        return this.#endTurn(state, event, fact.turn_id, { status: "ended", stop_reason, usage }, ending, changes);
      }
      case "turn_failed": {
        const { error } = fact;
        const ending = { status: "failed", reason: `The turn failed before this ended: ${error.message}` } as const;
        return this.#endTurn(state, event, fact.turn_id, { status: "failed", error }, ending, changes);
      }
      case "turn_interrupted": {
        const ending = { status: "interrupted", reason: `Interrupted: ${fact.reason}` } as const;
        return this.#endTurn(state, event, fact.turn_id, interruption(fact.reason), ending, changes);
      }
      case "permission_requested":
        return this.#askPermission(state, event, fact, changes);
      case "elicitation_requested":
        return questions.ask(state, event, fact);
      case "permission_decided":
      case "elicitation_decided": {
        const closed = questions.decide(state, event, fact);
        if (closed === null) return;
        toolCalls.addWait(state, event, closed.toolCallId, closed.wait);
        return toolCalls.settle(state, event, closed.toolCallId);
      }
      case "terminal_created":
        return terminals.create(event, fact.terminal_id, fact.command, fact.cwd);
      case "terminal_output":
        return this.#addOutput(event, fact.terminal_id);
      case "terminal_ended":
        return terminals.end(event, fact.terminal_id, {
          exitCode: fact.exit_code,
          signal: fact.signal,
          truncated: fact.truncated === true,
        });
      case "agent_request":
      case "client_request":
      case "network_connection":
      case "port_changed":
      case "entries_lost":
      case "command_received":
        // Kept in the log only.
        return;
      default:
        return assertNever(fact);
    }
  }

  #startSession(state: ThreadState, event: LoggedEvent, fact: SessionStarted): void {
    const { record } = state;
    const { session } = this.#rows;
    const { session_id, modes, config_options, forked_by, steering = false, more = null } = fact;
    if (record.session_id !== session_id) session.resetCost(event);
    record.session_id = session_id;
    record.rest_status = "idle";
    record.starting = false;
    state.listed = true;
    session.set(event, { steering, more });
    if (forked_by !== undefined) record.fork = { before_seq: record.fork?.before_seq ?? null, by: forked_by };
    if (config_options !== undefined) session.set(event, { config_options });
    if (modes === undefined) return;
    session.set(event, { modes });
    const mode = toFields(modes).currentModeId;
    if (typeof mode === "string") session.setMode(state, event, mode);
  }

  #handOver(state: ThreadState, event: LoggedEvent, agentId: string): void {
    const { record } = state;
    record.agent_id = agentId;
    record.session_id = null;
    record.current_mode_id = null;
    state.listed = true;
    // The new agent's offers arrive with its session.
    const nothing = { modes: null, current_mode_id: null, config_options: null, available_commands: null };
    this.#rows.session.set(event, nothing);
  }

  #startTurn(state: ThreadState, event: LoggedEvent, turnId: string, changes: Change[]): void {
    const promptSeq = this.#rows.turns.start(state, event, turnId);
    if (promptSeq === null) return;
    const queued = this.#rows.log.find(event.threadId, promptSeq);
    if (queued !== null) this.#rows.messages.addPrompt(state, event, queued, changes);
    state.listed = true;
  }

  #endTurn(
    state: ThreadState,
    event: LoggedEvent,
    turnId: string,
    end: TurnEnd,
    { status, reason }: Ending,
    changes: Change[],
  ): void {
    const ran = state.runningTurns.has(turnId);
    if (!this.#rows.turns.end(state, event, turnId, end)) return;
    state.listed = true;
    if (!ran || state.runningTurns.size > 0) return;
    state.record.rest_status = status;
    state.record.stopped = end.status === "ended" && end.stop_reason === "cancelled";
    this.#closeAll(state, event, reason, changes);
  }

  /** The session is gone, and with it its terminals; a turn that still ran has no other end. */
  #endSession(state: ThreadState, event: LoggedEvent, { status, reason }: Ending, changes: Change[]): void {
    for (const turnId of state.runningTurns) this.#rows.turns.end(state, event, turnId, interruption(reason));
    state.record.rest_status = status;
    state.record.starting = false;
    state.listed = true;
    this.#closeAll(state, event, reason, changes);
    this.#rows.terminals.endAll(event);
  }

  #closeAll(state: ThreadState, event: LoggedEvent, reason: string, changes: Change[]): void {
    this.#rows.messages.closeAll(state, event, changes);
    for (const { toolCallId, wait } of this.#rows.questions.cancelAll(state, event, reason)) {
      this.#rows.toolCalls.addWait(state, event, toolCallId, wait);
    }
    this.#rows.toolCalls.abandonAll(state, event, reason);
  }

  /** The text itself lies with the terminal; the log points to it. Late output, of which the terminal knows nothing, stays in the log. */
  #addOutput(event: LoggedEvent, terminalId: string): void {
    const stored = toFields(event.value).text;
    if (isLongText(stored)) this.#rows.terminals.addStored(event, terminalId, stored);
  }

  /** A question also says what the tool call is about, which may not have been announced. */
  #askPermission(state: ThreadState, event: LoggedEvent, fact: PermissionRequested, changes: Change[]): void {
    this.#rows.questions.ask(state, event, fact);
    if (fact.tool_call === null) return;
    const whole = isFact(event.value) && event.value.type === fact.type ? event.value.tool_call : null;
    const shown = readToolCall(fact.tool_call);
    if (shown === null) return;
    const sent = (whole === null ? null : readToolCall(whole)) ?? shown;
    this.#rows.toolCalls.apply(state, event, { sent, shown, isAnnouncement: false }, changes);
  }
}

function interruption(message: string): TurnEnd {
  return { status: "interrupted", error: { code: "interrupted", message } };
}

function failStart(state: ThreadState): void {
  const { record } = state;
  record.starting = false;
  // A thread that has nothing yet is not done.
  if (record.session_id === null && record.message_count === 0) record.rest_status = "interrupted";
  state.listed = true;
}

function updateThread(state: ThreadState, { title, archived, pinned }: ThreadUpdated): void {
  const { record } = state;
  state.listed = true;
  if (title !== undefined) {
    record.title = title;
    record.title_by = title === null ? null : "person";
  }
  if (archived !== undefined) record.archived = archived;
  if (pinned !== undefined) record.pinned = pinned;
}

/** The checkpoints know how many files the thread changed. */
function countFiles(state: ThreadState, { thread_files_changed }: CheckpointMade | FilesRestored): void {
  if (thread_files_changed === undefined) return;
  state.record.files_changed = thread_files_changed;
  state.record.counted_by_checkpoints = true;
  state.listed = true;
}
