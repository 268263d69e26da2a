// `search`: full text over titles of threads, messages, tool calls and terminals. Of everything that matches, the newest two hundred are ranked
// together (see search-rank), so that a word that occurs a million times costs no more than one that occurs a hundred
// times. The next page goes on from there.
import type { DatabaseSync } from "node:sqlite";
import {
  makeSnippet,
  parseTerms,
  type QueryArgs,
  rowReader,
  type SearchHitRow,
  type SearchTerm,
  searchHitColumns,
  withOpenEnd,
} from "@signalbox/protocol";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { integer, integerOrNull, type Row, text } from "../database/row.ts";
import { badCursor, chooseLimit, parseCursor, toCursor } from "../queries/arguments.ts";
import { RegisterError } from "../register.ts";
import type { FindableItems } from "./findable-items.ts";
import { idsPerEvent } from "./search-index.ts";
import { SearchRank } from "./search-rank.ts";
import { normalizeFolder, spanTags, type TagName, tag } from "./tags.ts";

/** Each word costs a look through the index. */
const maxSearched = 50;

/** How many of the newest matches are ranked together. */
const rankedTogether = 200;

const readHit = rowReader(searchHitColumns);

interface Filters {
  readonly tags: readonly string[];
  readonly since: number;
  readonly until: number;
}

export class SearchQuery {
  readonly #items: FindableItems;
  readonly #blobs: BlobReader;
  readonly #rank: SearchRank;
  readonly #match;
  readonly #newestId;
  readonly #times;

  constructor(database: DatabaseSync, items: FindableItems, blobs: BlobReader) {
    this.#items = items;
    this.#blobs = blobs;
    this.#rank = new SearchRank(database);
    // The index must lead: CROSS JOIN keeps the order of the tables. And it heeds only bounds that are integers, while a
    // number from here arrives as a real.
    this.#match = database.prepare(
      `SELECT i.*, t.title AS thread_title, t.agent_id, t.cwd
       FROM search_text AS s CROSS JOIN search_items AS i ON i.id = s.rowid CROSS JOIN threads AS t ON t.id = i.thread_id
       WHERE search_text MATCH ? AND s.rowid <= CAST(? AS INTEGER) AND i.ts >= ? AND i.ts <= ?
       ORDER BY s.rowid DESC LIMIT ?`,
    );
    this.#newestId = database.prepare("SELECT coalesce(max(id), 0) AS id FROM search_items");
    this.#times = database.prepare(
      "SELECT (SELECT min(ts) FROM search_items) AS first, (SELECT max(ts) FROM search_items) AS last",
    );
  }

  find(args: QueryArgs<"search">): { readonly rows: readonly SearchHitRow[]; readonly next_cursor?: string } {
    const limit = chooseLimit(args);
    const terms = parseTerms(args.text);
    if (terms.length === 0) return { rows: [] };
    const count = terms.reduce((sum, { words }) => sum + words.length, 0);
    if (count > maxSearched)
      throw new RegisterError("bad_request", `A search has at most ${maxSearched} words, not ${count}.`);
    const [top = Number.MAX_SAFE_INTEGER, skipped = 0] = parseCursor(args) ?? [];
    if (typeof top !== "number" || typeof skipped !== "number") throw badCursor();
    const { candidates, shown } = this.#candidates(terms, readFilters(args), top);
    const ranked = this.#rank.order(candidates, terms);
    const rows = ranked.slice(skipped, skipped + limit).map((row) => this.#hit(row, shown));
    if (skipped + limit < ranked.length) return { rows, next_cursor: toCursor([top, skipped + limit]) };
    const oldest = candidates.at(-1);
    if (candidates.length < rankedTogether || oldest === undefined) return { rows };
    return { rows, next_cursor: toCursor([oldest.id - 1, 0]) };
  }

  /** The newest matches from `top` on; with the last word open when the words as typed give too few. */
  #candidates(terms: readonly SearchTerm[], filters: Filters, top: number) {
    const exact = this.#newest(terms, filters, top).map((found) => ({ ...found, isAsTyped: true }));
    const open = exact.length < rankedTogether ? withOpenEnd(terms, this.#minPrefixLength()) : null;
    if (open === null) return { candidates: exact, shown: terms };
    const asTyped = new Set(exact.map(({ id }) => id));
    const candidates = this.#newest(open, filters, top).map((found) => ({
      ...found,
      isAsTyped: asTyped.has(found.id),
    }));
    return { candidates, shown: open };
  }

  /** Beginnings of words cost what they match: the more there is to search, the more letters it takes. */
  #minPrefixLength(): number {
    const events = integer(this.#newestId.get() ?? { id: 0 }, "id") / idsPerEvent;
    if (events < 100_000) return 2;
    return events < 600_000 ? 3 : 4;
  }

  #newest(terms: readonly SearchTerm[], filters: Filters, top: number): { id: number; row: Row }[] {
    const { since, until } = filters;
    const spans = this.#listSpanTags(since, until);
    if (spans === null) return [];
    const match = matchAll(terms, [...filters.tags.map((word) => [word]), ...spans]);
    const rows = this.#match.all(match, top, since, until, rankedTogether);
    return rows.map((row) => ({ id: integer(row, "id"), row }));
  }

  /** The filter for a span of time, none when it holds everything there is, null when it holds nothing. */
  #listSpanTags(since: number, until: number): readonly (readonly string[])[] | null {
    const times = this.#times.get() ?? {};
    const first = integerOrNull(times, "first");
    const last = integerOrNull(times, "last");
    if (first === null || last === null || since > last || until < first) return null;
    if (since <= first && until >= last) return [];
    const words = spanTags(Math.max(since, first), Math.min(until, last));
    return words.length === 0 ? [] : [words];
  }

  /** The text that the snippet is taken from: the index itself keeps none. */
  #readText(row: Row): string {
    const blobId = integerOrNull(row, "blob_id");
    if (blobId !== null) {
      const blob = this.#blobs.byId(blobId);
      return blob === null ? "" : this.#blobs.text(blob, integer(row, "start"), integer(row, "end"));
    }
    const item = this.#items.find(text(row, "thread_id"), integer(row, "seq"), text(row, "item"), text(row, "item_id"));
    return item === null ? "" : `${item.title}\n${item.body}`;
  }

  #hit(row: Row, terms: readonly SearchTerm[]): SearchHitRow {
    return { ...readHit(row), snippet: makeSnippet(this.#readText(row), terms) };
  }
}

function readFilters({ thread_id, agent_id, kind, status, cwd, since, until }: QueryArgs<"search">): Filters {
  const named: readonly [TagName, string | null | undefined][] = [
    ["thread", thread_id],
    ["agent", agent_id],
    ["kind", kind],
    ["status", status],
    ["folder", cwd === undefined || cwd === null ? cwd : normalizeFolder(cwd)],
  ];
  return {
    tags: named.flatMap(([name, value]) => (value === undefined || value === null ? [] : [tag(name, value)])),
    since: since ?? 0,
    until: until ?? Number.MAX_SAFE_INTEGER,
  };
}

/** All terms, anywhere in an item, and of each filter one of the words that stand for it. */
function matchAll(terms: readonly SearchTerm[], tags: readonly (readonly string[])[]): string {
  const words = terms.map(({ words: phrase, isPrefix }) => `"${phrase.join(" ")}"${isPrefix ? "*" : ""}`);
  const filters = tags.map((any) => ` AND {tags} : (${any.map((word) => `"${word}"`).join(" OR ")})`);
  return `{title body} : (${words.join(" AND ")})${filters.join("")}`;
}
