// Pages of one thread's rows by `seq`: the newest page first, each page ascending, every page an index lookup.
import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "@signalbox/protocol";
import { integer, type Row } from "../database/row.ts";
import { bad, cursorOf, limitOf, numberOf, toCursor } from "./arguments.ts";

/** Which page of a thread: what lies before a place, or what lies after it. */
export interface SeqRange {
  readonly direction: "before" | "after";
  readonly seq: number;
  readonly limit: number;
}

export function seqRangeOf(args: JsonObject): SeqRange {
  const limit = limitOf(args);
  const cursor = cursorOf(args);
  if (cursor !== null) {
    const [direction, seq] = cursor;
    if ((direction !== "before" && direction !== "after") || typeof seq !== "number") {
      throw bad("cursor", "the next_cursor of an earlier answer");
    }
    return { direction, seq, limit };
  }
  const after = numberOf(args, "after_seq");
  if (after !== null) return { direction: "after", seq: after, limit };
  return { direction: "before", seq: numberOf(args, "before_seq") ?? Number.MAX_SAFE_INTEGER, limit };
}

/** Cuts rows that were read one further than asked to the page, and says where the next begins. */
export function pageOf<Item extends { readonly seq: number }>(
  ascending: readonly Item[],
  { direction, limit }: SeqRange,
): { readonly items: readonly Item[]; readonly nextCursor?: string } {
  if (ascending.length <= limit) return { items: ascending };
  const items = direction === "before" ? ascending.slice(-limit) : ascending.slice(0, limit);
  const edge = direction === "before" ? items[0] : items.at(-1);
  return edge === undefined ? { items } : { items, nextCursor: toCursor([direction, edge.seq]) };
}

/** The rows of one table in a range, ascending, one more than the limit if there are more. */
export class SeqTable {
  readonly #before;
  readonly #after;

  constructor(database: DatabaseSync, table: string, filter = "TRUE") {
    this.#before = database.prepare(
      `SELECT * FROM ${table} WHERE thread_id = ? AND seq < ? AND ${filter} ORDER BY seq DESC LIMIT ?`,
    );
    this.#after = database.prepare(
      `SELECT * FROM ${table} WHERE thread_id = ? AND seq > ? AND ${filter} ORDER BY seq LIMIT ?`,
    );
  }

  read(threadId: string, { direction, seq, limit }: SeqRange): Row[] {
    if (direction === "after") return this.#after.all(threadId, seq, limit + 1);
    return this.#before.all(threadId, seq, limit + 1).toReversed();
  }
}

export function seqOf(row: Row): number {
  return integer(row, "seq");
}
