// A thread as it stands: the newest page and the state around it, or only what changed since a `seq` the client knows. That event's
// own changes are given again: the line may have broken between two of them. When more changed than a page holds, the
// newest page is given instead, and says so.
import type { DatabaseSync } from "node:sqlite";
import type { ThreadRow, ThreadSnapshot, TimelineItem } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { toElicitationRow, toPermissionRow, toPlanRow, toStateRow, toTurnRow } from "./rows.ts";
import { toTerminalRow } from "./terminal-rows.ts";
import { Timeline } from "./timeline.ts";

const PAGE = 200;
const MOST = 1000;
/** How many turns, terminals and questions a snapshot carries; the lists have the rest. */
const BESIDE = 100;

export class Snapshots {
  readonly #blobs: BlobReader;
  readonly #timeline: Timeline;
  readonly #statements;

  constructor(database: DatabaseSync, blobs: BlobReader) {
    this.#blobs = blobs;
    this.#timeline = new Timeline(database, blobs);
    const changed = (table: string) =>
      database.prepare(`SELECT * FROM ${table} WHERE thread_id = ? AND last_seq >= ? ORDER BY last_seq LIMIT ?`);
    const newest = (table: string) =>
      database.prepare(`SELECT * FROM ${table} WHERE thread_id = ? ORDER BY seq DESC LIMIT ?`);
    this.#statements = {
      plan: database.prepare("SELECT * FROM plans WHERE thread_id = ?"),
      state: database.prepare("SELECT * FROM thread_state WHERE thread_id = ?"),
      changedMessages: changed("messages"),
      changedToolCalls: changed("tool_calls"),
      changedTurns: changed("turns"),
      changedPermissions: changed("permissions"),
      changedElicitations: changed("elicitations"),
      changedTerminals: changed("terminals"),
      queuedTurns: database.prepare("SELECT * FROM turns WHERE thread_id = ? AND status = 'queued'"),
      newestTurns: newest("turns"),
      newestPermissions: newest("permissions"),
      newestElicitations: newest("elicitations"),
      newestTerminals: newest("terminals"),
    };
  }

  read(thread: ThreadRow, options: { after_seq?: number; limit?: number }): ThreadSnapshot {
    const limit = Math.min(MOST, Math.max(1, options.limit ?? PAGE));
    const plan = this.#statements.plan.get(thread.id);
    const state = this.#statements.state.get(thread.id);
    const beside = {
      thread,
      plan: plan === undefined ? null : toPlanRow(plan),
      state: state === undefined ? null : toStateRow(state),
      seq: thread.last_seq,
    };
    const after = options.after_seq;
    // A `seq` from the future was not given by this register: the client starts afresh.
    const newer = after === undefined || after > thread.last_seq ? null : this.#changedSince(thread.id, after, limit);
    return { ...beside, ...(newer ?? this.#newest(thread.id, limit)) };
  }

  #newest(threadId: string, limit: number) {
    const { newestTurns, newestPermissions, newestElicitations, newestTerminals } = this.#statements;
    const range = { direction: "before", seq: Number.MAX_SAFE_INTEGER, limit } as const;
    const { items, nextCursor } = this.#timeline.page(threadId, range);
    return {
      timeline: items,
      turns: newestTurns.all(threadId, BESIDE).toReversed().map(toTurnRow),
      permissions: newestPermissions.all(threadId, BESIDE).toReversed().map(toPermissionRow),
      elicitations: newestElicitations.all(threadId, BESIDE).toReversed().map(toElicitationRow),
      terminals: newestTerminals
        .all(threadId, BESIDE)
        .toReversed()
        .map((row) => toTerminalRow(row, this.#blobs)),
      has_more: nextCursor !== undefined,
      newer_only: false,
    };
  }

  /** Null when there is more than a page of it. */
  #changedSince(threadId: string, after: number, limit: number) {
    const { changedMessages, changedToolCalls, changedTurns, queuedTurns } = this.#statements;
    const { changedPermissions, changedElicitations, changedTerminals } = this.#statements;
    const messages = changedMessages.all(threadId, after, limit + 1);
    const toolCalls = changedToolCalls.all(threadId, after, limit + 1);
    // Of a prompt that was taken out of the queue nothing is left that could have changed: so all that wait are told.
    const queued = queuedTurns.all(threadId);
    const turns = [
      ...changedTurns.all(threadId, after, limit + 1).filter((row) => row["status"] !== "queued"),
      ...queued,
    ];
    const permissions = changedPermissions.all(threadId, after, limit + 1);
    const elicitations = changedElicitations.all(threadId, after, limit + 1);
    const terminals = changedTerminals.all(threadId, after, limit + 1);
    const lists = [[...messages, ...toolCalls], turns, permissions, elicitations, terminals];
    if (lists.some((rows) => rows.length > limit)) return null;
    const timeline: TimelineItem[] = [
      ...messages.map((row) => this.#timeline.message(row)),
      ...toolCalls.map((row) => this.#timeline.toolCall(row)),
    ];
    return {
      timeline: timeline.toSorted((a, b) => a.seq - b.seq),
      turns: turns.map(toTurnRow).toSorted((a, b) => a.seq - b.seq),
      permissions: permissions.map(toPermissionRow).toSorted((a, b) => a.seq - b.seq),
      elicitations: elicitations.map(toElicitationRow).toSorted((a, b) => a.seq - b.seq),
      terminals: terminals.map((row) => toTerminalRow(row, this.#blobs)).toSorted((a, b) => a.seq - b.seq),
      has_more: false,
      newer_only: true,
    };
  }
}
