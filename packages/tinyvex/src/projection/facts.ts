// What the host's own facts do to the rows. The end of a turn or session closes everything that was open in it.
import type { Change, ElicitationStatus, JsonObject, PermissionStatus, ThreadStatus } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import type { EventLog, LoggedEvent } from "../log/event-log.ts";
import { isLongText } from "../log/long-text.ts";
import { toBlocks } from "../queries/rows.ts";
import { previewOf } from "./big-values.ts";
import type { Elicitations } from "./elicitations.ts";
import type { Messages } from "./messages.ts";
import type { Permissions } from "./permissions.ts";
import type { SessionState } from "./session-state.ts";
import type { Terminals } from "./terminals.ts";
import type { ThreadState } from "./thread-state.ts";
import type { ToolCalls } from "./tool-calls.ts";
import type { TurnEnd, Turns } from "./turns.ts";

export interface Projections {
  readonly log: EventLog;
  readonly blobs: BlobReader;
  readonly messages: Messages;
  readonly toolCalls: ToolCalls;
  readonly turns: Turns;
  readonly permissions: Permissions;
  readonly elicitations: Elicitations;
  readonly terminals: Terminals;
  readonly session: SessionState;
}

export interface ToolCallNews {
  /** The fields as they were sent, with long texts, and as a row has them, with previews. */
  readonly sent: JsonObject;
  readonly shown: JsonObject;
  readonly isAnnouncement: boolean;
}

export class FactProjector {
  readonly #rows: Projections;

  constructor(rows: Projections) {
    this.#rows = rows;
  }

  apply(state: ThreadState, event: LoggedEvent, type: string, changes: Change[]): void {
    const fact = previewOf(event, this.#rows.blobs);
    if (!isJsonObject(fact)) return;
    const turnId = string(fact, "turn_id");
    const { turns, terminals } = this.#rows;
    switch (type) {
      case "thread_updated":
        return updateThread(state, fact);
      case "session_started":
        return this.#startSession(state, event, fact);
      case "session_ended": {
        const status = SESSION_ENDS.find((word) => word === fact["status"]) ?? "idle";
        const reason = string(fact, "reason");
        return this.#endAll(state, event, status, `The session ended${reason === "" ? "" : `: ${reason}`}.`, changes);
      }
      case "turn_queued":
        return turns.queue(event, turnId, string(fact, "prompt_id"), blocksOf(fact));
      case "turn_edited":
        return turns.edit(event, turnId, blocksOf(fact));
      case "turn_removed":
        return turns.remove(event, turnId, changes);
      case "turn_started": {
        const promptSeq = turns.start(state, event, turnId);
        if (promptSeq === null) return;
        const queued = this.#rows.log.find(event.threadId, promptSeq);
        if (queued !== null) this.#rows.messages.addPrompt(state, event, queued, changes);
        state.listed = true;
        return;
      }
      case "turn_ended": {
        const { usage } = fact;
        const stopReason = string(fact, "stop_reason");
        const end = { status: "ended", stopReason, usage: isJsonObject(usage) ? usage : null } as const;
        const reason = `The turn ended (${stopReason}) before this did.`;
        return this.#endTurn(state, event, turnId, end, "idle", reason, changes);
      }
      case "turn_failed": {
        const error = isJsonObject(fact["error"]) ? fact["error"] : {};
        const reason = `The turn failed before this ended: ${string(error, "message")}`;
        return this.#endTurn(state, event, turnId, { status: "failed", error }, "failed", reason, changes);
      }
      case "turn_interrupted": {
        const reason = string(fact, "reason");
        const end = { status: "interrupted", error: { code: "interrupted", message: reason } } as const;
        return this.#endTurn(state, event, turnId, end, "interrupted", `Interrupted: ${reason}`, changes);
      }
      case "permission_requested":
        return this.#ask(state, event, fact, changes);
      case "permission_decided":
        return this.#decide(state, event, fact);
      case "elicitation_requested":
        return this.#rows.elicitations.ask(state, event, string(fact, "elicitation_id"), {
          mode: fact["mode"] === "url" ? "url" : "form",
          message: string(fact, "message"),
          schema: fact["schema"] ?? null,
          url: stringOrNull(fact, "url"),
          toolCallId: stringOrNull(fact, "tool_call_id"),
        });
      case "elicitation_decided":
        return this.#rows.elicitations.decide(state, event, string(fact, "elicitation_id"), {
          status: ANSWERS.find((word) => word === fact["status"]) ?? "cancelled",
          content: fact["content"] ?? null,
          decidedBy: stringOrNull(fact, "decided_by"),
          reason: stringOrNull(fact, "reason"),
        });
      case "terminal_created":
        return terminals.create(event, string(fact, "terminal_id"), string(fact, "command"), stringOrNull(fact, "cwd"));
      case "terminal_output": {
        const sent = isJsonObject(event.value) ? event.value["text"] : undefined;
        return isLongText(sent) ? terminals.addStored(event, string(fact, "terminal_id"), sent) : undefined;
      }
      case "terminal_ended": {
        const { exit_code: code } = fact;
        const exitCode = Number.isSafeInteger(code) ? Number(code) : null;
        return terminals.end(event, string(fact, "terminal_id"), {
          exitCode,
          signal: stringOrNull(fact, "signal"),
          truncated: fact["truncated"] === true,
        });
      }
      default:
        // Kept in the log only: what an agent asked of us, what could not be read, and facts of a newer version.
        return;
    }
  }

  /** An agent's news of a tool call, with what they tell of a terminal; outside a turn the call does not stay open. */
  takeToolCall(state: ThreadState, event: LoggedEvent, news: ToolCallNews, changes: Change[]): void {
    const { toolCalls, terminals } = this.#rows;
    const { sent, shown, isAnnouncement } = news;
    const id = string(shown, "toolCallId");
    const hadEnded = toolCalls.hasEnded(state, id);
    toolCalls.take(state, event, id, shown, isAnnouncement, changes);
    terminals.takeMeta(event, sent, hadEnded);
    toolCalls.settle(state, event, id);
  }

  #startSession(state: ThreadState, event: LoggedEvent, fact: JsonObject): void {
    const { record } = state;
    const { modes, config_options: options } = fact;
    const sessionId = string(fact, "session_id");
    if (record.session_id !== sessionId) this.#rows.session.resetCost(event);
    record.session_id = sessionId;
    record.rest_status = "idle";
    state.listed = true;
    if (options !== undefined) this.#rows.session.set(event, "config_options_json", options);
    if (modes === undefined) return;
    this.#rows.session.set(event, "modes_json", modes);
    const mode = isJsonObject(modes) ? modes["currentModeId"] : undefined;
    if (typeof mode === "string") this.#rows.session.setMode(state, event, mode);
  }

  #endTurn(
    state: ThreadState,
    event: LoggedEvent,
    turnId: string,
    end: TurnEnd,
    status: ThreadStatus,
    reason: string,
    changes: Change[],
  ): void {
    const ran = state.runningTurns.has(turnId);
    if (!this.#rows.turns.end(state, event, turnId, end)) return;
    state.listed = true;
    if (!ran || state.runningTurns.size > 0) return;
    state.record.rest_status = status;
    this.#closeAll(state, event, reason, changes);
  }

  /** The session is gone, and with it its terminals; a turn that still ran has no other end. */
  #endAll(state: ThreadState, event: LoggedEvent, status: ThreadStatus, reason: string, changes: Change[]): void {
    for (const turnId of state.runningTurns) {
      const end = { status: "interrupted", error: { code: "interrupted", message: reason } } as const;
      this.#rows.turns.end(state, event, turnId, end);
    }
    state.record.rest_status = status;
    state.listed = true;
    this.#closeAll(state, event, reason, changes);
    this.#rows.terminals.endAll(event);
  }

  #closeAll(state: ThreadState, event: LoggedEvent, reason: string, changes: Change[]): void {
    this.#rows.messages.close(state, event, changes);
    this.#rows.permissions.cancelAll(state, event, "turn_end");
    this.#rows.elicitations.cancelAll(state, event, reason);
    this.#rows.toolCalls.abandonAll(state, event, reason);
  }

  #ask(state: ThreadState, event: LoggedEvent, fact: JsonObject, changes: Change[]): void {
    const { tool_call: toolCall } = fact;
    const fields = isJsonObject(toolCall) ? toolCall : {};
    const id = stringOrNull(fields, "toolCallId");
    this.#rows.permissions.ask(state, event, string(fact, "permission_id"), id, fact);
    if (id === null) return;
    const sent = isJsonObject(event.value) && isJsonObject(event.value["tool_call"]) ? event.value["tool_call"] : {};
    this.takeToolCall(state, event, { sent, shown: fields, isAnnouncement: false }, changes);
  }

  #decide(state: ThreadState, event: LoggedEvent, fact: JsonObject): void {
    const status = DECISIONS.find((word) => word === fact["status"]) ?? "cancelled";
    const toolCallId = this.#rows.permissions.decide(state, event, string(fact, "permission_id"), {
      status,
      optionId: stringOrNull(fact, "option_id"),
      decidedBy: stringOrNull(fact, "decided_by"),
      rule: stringOrNull(fact, "rule"),
    });
    if (toolCallId !== null) this.#rows.toolCalls.settle(state, event, toolCallId);
  }
}

const SESSION_ENDS = ["idle", "closed", "failed"] as const;
const DECISIONS: readonly Exclude<PermissionStatus, "pending">[] = ["allowed", "denied", "cancelled", "timed_out"];
const ANSWERS: readonly Exclude<ElicitationStatus, "pending">[] = ["accepted", "declined", "cancelled"];

function updateThread(state: ThreadState, fact: JsonObject): void {
  const { record } = state;
  const { title, archived } = fact;
  state.listed = true;
  if (title !== undefined) {
    record.title = typeof title === "string" ? title : null;
    record.title_by = record.title === null ? null : "person";
  }
  if (typeof archived === "boolean") record.archived = archived;
}

function blocksOf(fact: JsonObject): ReturnType<typeof toBlocks> {
  return Array.isArray(fact["prompt"]) ? toBlocks(fact["prompt"]) : [];
}

function string(fact: JsonObject, key: string): string {
  return stringOrNull(fact, key) ?? "";
}

function stringOrNull(fact: JsonObject, key: string): string | null {
  const value = fact[key];
  return typeof value === "string" ? value : null;
}
