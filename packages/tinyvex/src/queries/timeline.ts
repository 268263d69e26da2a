// Reads messages and tool calls of a thread, ordered by where they first appeared.
import type { DatabaseSync } from "node:sqlite";
import type { QueryArgs, TimelineItem } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import type { Row } from "../database/row.ts";
import { toMessageRow } from "./message-rows.ts";
import { readToolCall } from "./rows.ts";
import { cutPage, readSeq, readSeqRange, type SeqRange, SeqTable } from "./seq-pages.ts";

export class Timeline {
  readonly #blobs: BlobReader;
  readonly #messages: SeqTable;
  readonly #toolCalls: SeqTable;

  constructor(database: DatabaseSync, blobs: BlobReader) {
    this.#blobs = blobs;
    this.#messages = new SeqTable(database, "messages");
    this.#toolCalls = new SeqTable(database, "tool_calls");
  }

  list(args: QueryArgs<"timeline.list">): { readonly rows: readonly TimelineItem[]; readonly next_cursor?: string } {
    const { items, nextCursor } = this.page(args.thread_id, readSeqRange(args));
    return nextCursor === undefined ? { rows: items } : { rows: items, next_cursor: nextCursor };
  }

  page(threadId: string, range: SeqRange): { readonly items: readonly TimelineItem[]; readonly nextCursor?: string } {
    const rows = [
      ...this.#messages.read(threadId, range).map((row) => ({ seq: readSeq(row), item: () => this.message(row) })),
      ...this.#toolCalls.read(threadId, range).map((row) => ({ seq: readSeq(row), item: () => this.toolCall(row) })),
    ].toSorted((a, b) => a.seq - b.seq);
    // Each table gave a page and one: of both together only the nearest count, and only those are read in full.
    const nearest = range.direction === "before" ? rows.slice(-range.limit - 1) : rows.slice(0, range.limit + 1);
    const { items, nextCursor } = cutPage(nearest, range);
    const page = { items: items.map(({ item }) => item()) };
    return nextCursor === undefined ? page : { ...page, nextCursor };
  }

  message(row: Row): TimelineItem {
    return { type: "message", ...toMessageRow(row, this.#blobs) };
  }

  toolCall(row: Row): TimelineItem {
    return { type: "tool_call", ...readToolCall(row) };
  }
}
