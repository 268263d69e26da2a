// The questions of agents to a person, of two kinds: permissions (yes or no) and elicitations (a form or an address). A question that can no
// longer be answered is cancelled, which means no.
import type { DatabaseSync } from "node:sqlite";
import {
  type BlobRef,
  type Change,
  type ElicitationDecided,
  type ElicitationRequested,
  type PermissionDecided,
  type PermissionRequested,
  toFields,
} from "@signalbox/protocol";
import { integerOrNull } from "../database/row.ts";
import { elicitations, permissions } from "../database/tables.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { isLongText } from "../log/long-text.ts";
import { prepareStatements, QuestionTable } from "./question-table.ts";
import type { ThreadState } from "./thread-state.ts";
import type { Wait } from "./waits.ts";

interface ClosedQuestion {
  /** The call that the question was about. */
  readonly toolCallId: string;
  /** For how long the call waited because of it alone: what is still open adds the rest when it is closed. */
  readonly wait: Wait;
}

const decided = ["status", "decided_by", "decided_at", "last_seq"] as const;

export class Questions {
  readonly #permissions;
  readonly #elicitations;
  readonly #waitsSince;

  constructor(database: DatabaseSync) {
    const allowing = [...decided, "option_id", "rule", "comment", "hunks", "hunks_ref"] as const;
    this.#permissions = new QuestionTable(
      prepareStatements(database, permissions, "permission_id", allowing),
      (head, row) => ({ ...head, stream: "permissions", row }),
    );
    this.#elicitations = new QuestionTable(
      prepareStatements(database, elicitations, "elicitation_id", [...decided, "content", "reason"]),
      (head, row) => ({ ...head, stream: "elicitations", row }),
    );
    this.#waitsSince = database.prepare(
      `SELECT min(created_at) AS since FROM (
        SELECT created_at FROM permissions WHERE thread_id = ?1 AND tool_call_id = ?2 AND status = 'pending'
        UNION ALL
        SELECT created_at FROM elicitations WHERE thread_id = ?1 AND tool_call_id = ?2 AND status = 'pending')`,
    );
  }

  countPending(threadId: string): number {
    return this.#pending(threadId).length;
  }

  ask(state: ThreadState, event: LoggedEvent, fact: PermissionRequested | ElicitationRequested): void {
    const isNew =
      fact.type === "permission_requested"
        ? this.#permissions.ask(event.threadId, fact.permission_id, newPermission(event, fact))
        : this.#elicitations.ask(event.threadId, fact.elicitation_id, { ...fact, ...makeOpenRow(event) });
    if (isNew) countQuestion(state, 1);
  }

  /** Null when the question was about no tool call, or had been decided before. */
  decide(state: ThreadState, event: LoggedEvent, fact: PermissionDecided | ElicitationDecided): ClosedQuestion | null {
    const { threadId, seq, ts } = event;
    const decision = { decided_at: ts, last_seq: seq };
    // The change itself stands in the tool call and in the log: a snapshot need not carry it again for every answered question.
    const shown = { hunks: [], hunks_ref: null };
    const question =
      fact.type === "permission_decided"
        ? this.#permissions.decide(threadId, fact.permission_id, { comment: null, ...fact, ...shown, ...decision })
        : this.#elicitations.decide(threadId, fact.elicitation_id, { ...fact, ...decision });
    if (question === undefined) return null;
    countQuestion(state, -1);
    const { tool_call_id: toolCallId, created_at } = question;
    if (toolCallId === null) return null;
    const since = integerOrNull(this.#waitsSince.get(threadId, toolCallId) ?? {}, "since") ?? ts;
    return { toolCallId, wait: [created_at, since] };
  }

  /** The turn or session ended: no answer can reach the agent any more. */
  cancelAll(state: ThreadState, event: LoggedEvent, reason: string): ClosedQuestion[] {
    if (state.pendingQuestions === 0) return [];
    return this.#pending(event.threadId)
      .map((question) => this.decide(state, event, cancelled(question, "turn_end", reason)))
      .filter((question) => question !== null);
  }

  flush(state: ThreadState, changes: Change[]): void {
    this.#permissions.flush(state.record.id, changes);
    this.#elicitations.flush(state.record.id, changes);
  }

  reset(): void {
    this.#permissions.reset();
    this.#elicitations.reset();
  }

  #pending(threadId: string) {
    return [...this.#permissions.pending(threadId), ...this.#elicitations.pending(threadId)];
  }
}

/** The fact that a question will not be answered any more. */
export function cancelled(
  question: { readonly permission_id: string } | { readonly elicitation_id: string },
  decidedBy: "turn_end" | "restart",
  reason: string,
): PermissionDecided | ElicitationDecided {
  const end = { status: "cancelled", decided_by: decidedBy } as const;
  if ("permission_id" in question) {
    const { permission_id } = question;
    return { type: "permission_decided", permission_id, ...end, option_id: null, rule: null };
  }
  const { elicitation_id } = question;
  return { type: "elicitation_decided", elicitation_id, ...end, content: null, reason };
}

function newPermission(event: LoggedEvent, fact: PermissionRequested) {
  const tool_call_id = fact.tool_call?.toolCallId ?? null;
  const { remember_scopes = [], wider_rules = [], outside = [], hunks = [] } = fact;
  const computed = { remember_scopes, wider_rules, outside, hunks, hunks_ref: readAllHunks(event) };
  return { ...fact, tool_call_id, ...computed, ...makeOpenRow(event) };
}

/** Where all changed files are, if the row has only the beginning. */
function readAllHunks({ value }: LoggedEvent): BlobRef | null {
  const text = toFields(value).all_hunks;
  return isLongText(text) ? { hash: text.blob, size: text.size } : null;
}

/** The list of threads hears of every change, also where one question takes the place of another. */
function countQuestion(state: ThreadState, step: 1 | -1): void {
  state.pendingQuestions += step;
  state.record.waiting = state.pendingQuestions;
  state.listed = true;
}

function makeOpenRow({ threadId, seq, ts }: LoggedEvent) {
  return { thread_id: threadId, seq, last_seq: seq, status: "pending", created_at: ts } as const;
}
