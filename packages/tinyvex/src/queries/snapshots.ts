// Reads a thread: the newest page and the state around it, or only what changed since a `seq` that the client knows. The changes of that event
// are included, because the connection may have broken between two of them. If more changed than fits in a page, the newest page is given
// instead, with `newer_only: false`.
import type { DatabaseSync } from "node:sqlite";
import { type ListParts, makeLists, type ThreadRow, type ThreadSnapshot, type TimelineItem } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { buildSelect } from "../database/table.ts";
import * as tables from "../database/tables.ts";
import { toTurnRow } from "./rows.ts";
import { listsBesideTimeline, timelineLists } from "./thread-lists.ts";
import { Timeline } from "./timeline.ts";

const defaultLimit = 200;
const maxLimit = 1000;
/** How many turns, terminals and questions a snapshot carries; the lists have the rest. */
const besideTimeline = 100;

type Part = Pick<ThreadSnapshot, "timeline" | "has_more" | "newer_only"> & ListParts;

export class Snapshots {
  readonly #timeline: Timeline;
  readonly #items;
  readonly #lists;
  readonly #plan;
  readonly #findState;
  readonly #queuedTurns;

  constructor(database: DatabaseSync, blobs: BlobReader) {
    this.#timeline = new Timeline(database, blobs);
    this.#items = timelineLists(database, blobs);
    this.#lists = listsBesideTimeline(database, blobs);
    this.#plan = buildSelect(database, tables.planTable, "WHERE thread_id = ?");
    this.#findState = buildSelect(database, tables.stateTable, "WHERE thread_id = ?");
    this.#queuedTurns = buildSelect(database, tables.turns, "WHERE thread_id = ? AND status = 'queued'");
  }

  read(thread: ThreadRow, options: { after_seq?: number; limit?: number }): ThreadSnapshot {
    const limit = Math.min(maxLimit, Math.max(1, options.limit ?? defaultLimit));
    const after = options.after_seq;
    // A `seq` from the future was not given by this register: the client starts afresh.
    const newer = after === undefined || after > thread.last_seq ? null : this.#readChanged(thread.id, after, limit);
    return {
      thread,
      plan: this.#plan(thread.id)[0] ?? null,
      state: this.#findState(thread.id)[0] ?? null,
      seq: thread.last_seq,
      ...(newer ?? this.#newest(thread.id, limit)),
    };
  }

  #newest(threadId: string, limit: number): Part {
    const range = { direction: "before", seq: Number.MAX_SAFE_INTEGER, limit } as const;
    const { items, nextCursor } = this.#timeline.page(threadId, range);
    return {
      ...makeLists((name) => this.#lists[name].newest(threadId, besideTimeline)),
      timeline: items,
      has_more: nextCursor !== undefined,
      newer_only: false,
    };
  }

  /** Null when there is more than a page of it. */
  #readChanged(threadId: string, after: number, limit: number): Part | null {
    const { messages, toolCalls } = this.#items;
    const timeline: TimelineItem[] = [
      ...messages.listChanged(threadId, after, limit + 1).map((row) => ({ type: "message" as const, ...row })),
      ...toolCalls.listChanged(threadId, after, limit + 1).map((row) => ({ type: "tool_call" as const, ...row })),
    ];
    const changed = makeLists((name) => this.#lists[name].listChanged(threadId, after, limit + 1));
    // Of a prompt that was taken out of the queue nothing is left that could have changed: so all queued turns are given.
    const started = changed.turns.filter(({ status }) => status !== "queued");
    const lists: ListParts = { ...changed, turns: [...started, ...this.#queuedTurns(threadId).map(toTurnRow)] };
    if ([timeline, ...Object.values(lists)].some((rows) => rows.length > limit)) return null;
    return {
      ...makeLists((name) => bySeq(lists[name])),
      timeline: bySeq(timeline),
      has_more: false,
      newer_only: true,
    };
  }
}

function bySeq<Item extends { readonly seq: number }>(rows: readonly Item[]): readonly Item[] {
  return rows.toSorted((a, b) => a.seq - b.seq);
}
