// The questions of agents to a person, of two kinds: permissions (yes or no) and elicitations (a form or an address). A question that can no
// longer be answered is cancelled, which means no.
import type { DatabaseSync } from "node:sqlite";
import {
  type BlobRef,
  type Change,
  type ElicitationDecided,
  type ElicitationRequested,
  isJsonObject,
  type PermissionDecided,
  type PermissionRequested,
  type PermissionRow,
} from "@signalbox/protocol";
import { insertInto, selectFrom, updateOf } from "../database/table.ts";
import { elicitations, permissions } from "../database/tables.ts";
import type { LoggedEvent } from "../log/event-log.ts";
import { isLongText } from "../log/long-text.ts";
import { ChangedRows } from "./changed-rows.ts";
import type { ThreadState } from "./thread-state.ts";

/** What a question was about, and how long it waited. */
interface ClosedQuestion {
  readonly toolCallId: string;
  readonly waitedMs: number;
}

const decided = ["status", "decided_by", "decided_at", "last_seq"] as const;

export class Questions {
  readonly #permissions;
  readonly #elicitations;
  readonly #changedPermissions: ChangedRows<PermissionRow>;
  readonly #changedElicitations;

  constructor(database: DatabaseSync) {
    const pending = "WHERE thread_id = ? AND status = 'pending'";
    const findPermission = selectFrom(database, permissions, "WHERE thread_id = ? AND permission_id = ?");
    const findElicitation = selectFrom(database, elicitations, "WHERE thread_id = ? AND elicitation_id = ?");
    this.#permissions = {
      find: findPermission,
      pending: selectFrom(database, permissions, pending),
      insert: insertInto(database, permissions, "OR IGNORE"),
      decide: updateOf(
        database,
        permissions,
        [...decided, "option_id", "rule", "comment", "hunks", "hunks_ref"],
        "thread_id = ? AND permission_id = ? AND status = 'pending'",
      ),
    };
    this.#elicitations = {
      find: findElicitation,
      pending: selectFrom(database, elicitations, pending),
      insert: insertInto(database, elicitations, "OR IGNORE"),
      decide: updateOf(
        database,
        elicitations,
        [...decided, "content", "reason"],
        "thread_id = ? AND elicitation_id = ? AND status = 'pending'",
      ),
    };
    this.#changedPermissions = new ChangedRows(
      (threadId, id) => findPermission(threadId, id)[0],
      (head, row) => ({ ...head, stream: "permissions", row }),
    );
    this.#changedElicitations = new ChangedRows(
      (threadId, id) => findElicitation(threadId, id)[0],
      (head, row) => ({ ...head, stream: "elicitations", row }),
    );
  }

  countPending(threadId: string): number {
    return this.#permissions.pending(threadId).length + this.#elicitations.pending(threadId).length;
  }

  askPermission(state: ThreadState, event: LoggedEvent, fact: PermissionRequested): void {
    const tool_call_id = fact.tool_call?.toolCallId ?? null;
    const { remember_scopes = [], wider_rules = [], outside = [], hunks = [] } = fact;
    const computed = { remember_scopes, wider_rules, outside, hunks, hunks_ref: allHunksIn(event) };
    if (this.#permissions.insert({ ...fact, tool_call_id, ...computed, ...openedBy(event) }) === null) return;
    countQuestion(state, 1);
    this.#changedPermissions.add(event.threadId, fact.permission_id);
  }

  /** Null when the question was about no tool call, or had been decided before. */
  decidePermission(
    state: ThreadState,
    event: LoggedEvent,
    fact: Omit<PermissionDecided, "type">,
  ): ClosedQuestion | null {
    const { threadId } = event;
    const { permission_id: id } = fact;
    // The change itself stands in the tool call and in the log: a snapshot need not carry it again for every answered question.
    const shown = { comment: fact.comment ?? null, hunks: [], hunks_ref: null };
    if (!this.#permissions.decide({ ...fact, ...shown, ...decidedBy(event) }, threadId, id)) return null;
    countQuestion(state, -1);
    this.#changedPermissions.add(threadId, id);
    return closed(event, this.#permissions.find(threadId, id)[0]);
  }

  askElicitation(state: ThreadState, event: LoggedEvent, fact: ElicitationRequested): void {
    if (this.#elicitations.insert({ ...fact, ...openedBy(event) }) === null) return;
    countQuestion(state, 1);
    this.#changedElicitations.add(event.threadId, fact.elicitation_id);
  }

  /** As above. */
  decideElicitation(
    state: ThreadState,
    event: LoggedEvent,
    fact: Omit<ElicitationDecided, "type">,
  ): ClosedQuestion | null {
    const { threadId } = event;
    const { elicitation_id: id } = fact;
    if (!this.#elicitations.decide({ ...fact, ...decidedBy(event) }, threadId, id)) return null;
    countQuestion(state, -1);
    this.#changedElicitations.add(threadId, id);
    return closed(event, this.#elicitations.find(threadId, id)[0]);
  }

  /** The turn or session ended: no answer can reach the agent any more. */
  cancelAll(state: ThreadState, event: LoggedEvent, reason: string): ClosedQuestion[] {
    if (state.pendingQuestions === 0) return [];
    const cancelled = { status: "cancelled", decided_by: "turn_end" } as const;
    return [
      ...this.#permissions
        .pending(event.threadId)
        .map(({ permission_id }) =>
          this.decidePermission(state, event, { permission_id, ...cancelled, option_id: null, rule: null }),
        ),
      ...this.#elicitations
        .pending(event.threadId)
        .map(({ elicitation_id }) =>
          this.decideElicitation(state, event, { elicitation_id, ...cancelled, content: null, reason }),
        ),
    ].filter((question) => question !== null);
  }

  flush(state: ThreadState, changes: Change[]): void {
    this.#changedPermissions.flush(state.record.id, changes);
    this.#changedElicitations.flush(state.record.id, changes);
  }

  reset(): void {
    this.#changedPermissions.reset();
    this.#changedElicitations.reset();
  }
}

/** Where all changed files are, if the row has only the beginning. */
function allHunksIn({ value }: LoggedEvent): BlobRef | null {
  const text = isJsonObject(value) ? value.all_hunks : undefined;
  return isLongText(text) ? { hash: text.blob, size: text.size } : null;
}

/** The list of threads hears of every change, also where one question takes the place of another. */
function countQuestion(state: ThreadState, step: 1 | -1): void {
  state.pendingQuestions += step;
  state.record.waiting = state.pendingQuestions;
  state.listed = true;
}

function openedBy({ threadId, seq, ts }: LoggedEvent) {
  return { thread_id: threadId, seq, last_seq: seq, status: "pending", created_at: ts } as const;
}

function closed(
  { ts }: LoggedEvent,
  question: { readonly tool_call_id: string | null; readonly created_at: number } | undefined,
): ClosedQuestion | null {
  if (question === undefined || question.tool_call_id === null) return null;
  return { toolCallId: question.tool_call_id, waitedMs: Math.max(0, ts - question.created_at) };
}

function decidedBy({ seq, ts }: LoggedEvent) {
  return { decided_at: ts, last_seq: seq };
}
