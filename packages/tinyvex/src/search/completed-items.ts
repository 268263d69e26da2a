// Reads what part of a thread's log completed: the texts of its items, to be searched elsewhere, and its tool calls and turns, to be counted.
import type { DatabaseSync } from "node:sqlite";
import { type PortableItem, type PortableItems, type PortableToolCall, type PortableTurn } from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { integer, integerOrNull, type Row, text, textOrNull } from "../database/row.ts";
import { toolCalls } from "../database/tables.ts";
import { readToolCall } from "../queries/rows.ts";
import { isCountedTurn } from "../queries/stats-query.ts";
import { FindableItems } from "./findable-items.ts";

/** So many bytes of a big text can be found elsewhere; here all of it can. */
const maxBlobBytes = 64 * 1024;

export class CompletedItems {
  readonly #blobs: BlobReader;
  readonly #findable: FindableItems;
  readonly #statements;

  constructor(database: DatabaseSync, blobs: BlobReader) {
    this.#blobs = blobs;
    this.#findable = new FindableItems(database, blobs);
    const changed = (table: string, condition: string) =>
      database.prepare(
        `SELECT * FROM ${table} WHERE thread_id = ? AND last_seq > ? AND last_seq <= ? AND ${condition}`,
      );
    this.#statements = {
      messages: changed("messages", "partial = 0"),
      calls: changed("tool_calls", "ended_at IS NOT NULL"),
      terminals: changed("terminals", "ended_at IS NOT NULL"),
      turns: changed("turns", `ended_at IS NOT NULL AND ${isCountedTurn}`),
    };
  }

  /** Returns the items that the events after `after` and up to `upTo` changed last. */
  read(threadId: string, after: number, upTo: number): PortableItems {
    const { messages, calls: endedCalls, terminals, turns } = this.#statements;
    const items = (rows: readonly Row[], item: PortableItem["item"], id: string) =>
      rows.flatMap((row) => this.#item(threadId, integer(row, "seq"), item, text(row, id)) ?? []);
    const calls = endedCalls.all(threadId, after, upTo);
    return {
      items: [
        ...items(messages.all(threadId, after, upTo), "message", "item_id"),
        ...items(calls, "tool_call", "tool_call_id"),
        ...items(terminals.all(threadId, after, upTo), "terminal", "terminal_id"),
      ],
      tool_calls: calls.map(toToolCall),
      turns: turns.all(threadId, after, upTo).map(toTurn),
    };
  }

  #item(threadId: string, seq: number, item: PortableItem["item"], itemId: string): PortableItem | null {
    const found = this.#findable.find(threadId, seq, item, itemId);
    if (found === null) return null;
    const { kind, status, ts, title, body, blobs } = found;
    const big = blobs.map((blob) => this.#blobs.text(blob, 0, Math.min(blob.size, maxBlobBytes)));
    return { seq, item, item_id: itemId, kind, status, ts, title, body: [body, ...big].join("\n") };
  }
}

function toToolCall(row: Row): PortableToolCall {
  const call = readToolCall(row);
  const { seq, kind, name, status, ended_at: endedAt, waited_ms: waited } = call;
  const { waits, paths } = toolCalls.columns;
  return {
    seq,
    kind,
    name,
    status,
    ended_at: endedAt ?? 0,
    ms: integerOrNull(row, "took_ms"),
    waited_ms: waited,
    waits: waits.read(row.waits_json ?? null),
    paths: paths.read(row.paths_json ?? null),
  };
}

function toTurn(row: Row): PortableTurn {
  const endedAt = integer(row, "ended_at");
  return {
    turn_id: text(row, "turn_id"),
    status: text(row, "status"),
    ended_at: endedAt,
    ms: Math.max(0, endedAt - (integerOrNull(row, "started_at") ?? endedAt)),
    input_tokens: integerOrNull(row, "input_tokens") ?? 0,
    output_tokens: integerOrNull(row, "output_tokens") ?? 0,
    total_tokens: integerOrNull(row, "total_tokens") ?? 0,
    cost: integerOrNull(row, "cost") ?? 0,
    currency: textOrNull(row, "currency"),
  };
}
