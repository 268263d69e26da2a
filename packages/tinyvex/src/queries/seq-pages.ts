// Reads pages of one thread's rows by `seq`: the newest page first, each page ascending, every page an index lookup.
import type { DatabaseSync } from "node:sqlite";
import { integer, type Row } from "../database/row.ts";
import { badCursor, chooseLimit, parseCursor, toCursor } from "./arguments.ts";

/** Which page of a thread: what lies before a place, or what lies after it. */
export interface SeqRange {
  readonly direction: "before" | "after";
  readonly seq: number;
  readonly limit: number;
}

/** The arguments of a page of a thread's rows. */
export interface SeqPageArgs {
  readonly limit?: number | null | undefined;
  readonly cursor?: string | null | undefined;
  readonly after_seq?: number | null | undefined;
  readonly before_seq?: number | null | undefined;
}

export function readSeqRange(args: SeqPageArgs): SeqRange {
  const limit = chooseLimit(args);
  const cursor = parseCursor(args);
  if (cursor !== null) {
    const [direction, seq] = cursor;
    if ((direction !== "before" && direction !== "after") || typeof seq !== "number") {
      throw badCursor();
    }
    return { direction, seq, limit };
  }
  const { after_seq: after, before_seq: before } = args;
  if (after !== undefined && after !== null) return { direction: "after", seq: after, limit };
  return { direction: "before", seq: before ?? Number.MAX_SAFE_INTEGER, limit };
}

/** Limits rows that were read one further than asked to the page, and says where the next begins. */
export function cutPage<Item extends { readonly seq: number }>(
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

  /** `filter` has the values of the filter's parameters. */
  read(threadId: string, { direction, seq, limit }: SeqRange, ...filter: string[]): Row[] {
    if (direction === "after") return this.#after.all(threadId, seq, ...filter, limit + 1);
    return this.#before.all(threadId, seq, ...filter, limit + 1).toReversed();
  }
}

export function readSeq(row: Row): number {
  return integer(row, "seq");
}
