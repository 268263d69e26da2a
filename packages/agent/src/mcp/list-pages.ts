// Lists what a server has, page by page and within bounds: a list may never end, repeat itself, or hold what does not belong there.
import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";

export interface Listing<Item> {
  readonly items: readonly Item[];
  /** The number of items that are malformed, repeat a name, or exceed the limit. */
  readonly dropped: number;
}

interface ListRequest<Item> {
  readonly method: "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list";
  /** The field of the answer that has the items. */
  readonly field: string;
  /** Undefined when it is no such item. */
  readonly read: (value: unknown) => Item | undefined;
  readonly keyOf: (item: Item) => string;
  readonly timeoutMs: number;
}

const maxPages = 100;
const maxItems = 500;

/** Lenient: one wrong item must not hide the others. */
const page = z.looseObject({ nextCursor: z.string().optional().catch(undefined) });

export async function listPages<Item>(client: Client, request: ListRequest<Item>): Promise<Listing<Item>> {
  const { method, field, read, keyOf, timeoutMs } = request;
  const items = new Map<string, Item>();
  const cursors = new Set<string>();
  let dropped = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method, params }, page, { timeout: timeoutMs });
    const values = answer[field];
    for (const value of Array.isArray(values) ? values : []) {
      const item = read(value);
      if (item === undefined || items.has(keyOf(item)) || items.size >= maxItems) dropped++;
      else items.set(keyOf(item), item);
    }
    cursor = answer.nextCursor;
    // A cursor that repeats would never end.
    if (cursor === undefined || cursors.has(cursor) || items.size >= maxItems) break;
    cursors.add(cursor);
  }
  return { items: [...items.values()], dropped };
}
