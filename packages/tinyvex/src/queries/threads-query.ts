// `threads.list`: the most recently active first. Counts are kept in the row, so that a page costs its length. With words, titles and folders
// are read until the page is full: they are short, and there are thousands of threads, not millions. Those that have the words side by side, as
// typed, come first: a title that somebody types in full is found, however many others have the same words.
import type { DatabaseSync } from "node:sqlite";
import type { QueryArgs, ThreadSummaryRow } from "@signalbox/protocol";
import { type Row, text, textOrNull } from "../database/row.ts";
import { RegisterError } from "../register.ts";
import { badCursor, chooseLimit, parseCursor, toCursor } from "./arguments.ts";
import { readThreadSummary } from "./rows.ts";

export class ThreadsQuery {
  readonly #page;
  readonly #waiting;
  readonly #pinned;
  readonly #find;
  readonly #isStale;

  constructor(database: DatabaseSync) {
    const page = (index: string, status: string) =>
      database.prepare(
        `SELECT * FROM threads INDEXED BY ${index}
         WHERE archived = $archived AND (updated_at, id) < ($updated_at, $id)
           AND ($agent_id IS NULL OR agent_id = $agent_id) AND ($cwd IS NULL OR cwd = $cwd) AND ${status}
         ORDER BY updated_at DESC, id DESC`,
      );
    this.#page = page("threads_by_activity", "($status IS NULL OR status = $status)");
    // Asked for at every start of a page: few threads wait, however many there are.
    this.#waiting = page("threads_waiting", "status = 'waiting' AND $status IS NOT NULL");
    this.#pinned = page("threads_pinned", "pinned = 1 AND ($status IS NULL OR status = $status)");
    this.#find = database.prepare("SELECT * FROM threads WHERE id = ?");
    this.#isStale = database.prepare("SELECT 1 FROM stale_threads WHERE thread_id = ?");
  }

  list(args: QueryArgs<"threads.list">): { readonly rows: readonly ThreadSummaryRow[]; readonly next_cursor?: string } {
    const limit = chooseLimit(args);
    const filter = wordFilter(args);
    const beginning = [args.updated_before ?? Number.MAX_SAFE_INTEGER, ""] as const;
    const [updatedAt, id, pass = 0] = parseCursor(args) ?? [...beginning, filter.hasPhrase ? 0 : 1];
    if (typeof updatedAt !== "number" || typeof id !== "string" || typeof pass !== "number") throw badCursor();
    const first = pass === 0 ? this.#read(args, [updatedAt, id], limit + 1, filter.isPhrase) : [];
    const from = pass === 0 ? beginning : ([updatedAt, id] as const);
    const second = first.length > limit ? [] : this.#read(args, from, limit + 1 - first.length, filter.fits);
    const page = [...first, ...second].slice(0, limit);
    const last = page.at(-1);
    if (first.length + second.length <= limit || last === undefined) return { rows: page };
    return { rows: page, next_cursor: toCursor([last.updated_at, last.id, page.length > first.length ? 1 : pass]) };
  }

  /** At most `count` threads that fit, from a place on. */
  #read(
    args: QueryArgs<"threads.list">,
    [updatedAt, id]: readonly [number, string],
    count: number,
    fits: (row: Row) => boolean,
  ): readonly ThreadSummaryRow[] {
    const status = args.status ?? null;
    const pages = args.pinned === true ? this.#pinned : status === "waiting" ? this.#waiting : this.#page;
    const found = pages.iterate({
      $archived: args.archived === true ? 1 : 0,
      $updated_at: updatedAt,
      $id: id,
      $agent_id: args.agent_id ?? null,
      $cwd: args.cwd ?? null,
      $status: status,
    });
    const rows: ThreadSummaryRow[] = [];
    for (const row of found) {
      if (fits(row)) rows.push(readThreadSummary(row));
      if (rows.length >= count) break;
    }
    return rows;
  }

  find(threadId: string): ThreadSummaryRow | null {
    const row = this.#find.get(threadId);
    return row === undefined ? null : readThreadSummary(row);
  }

  /** Throws `not_found` when there is no such thread, and `busy` while its rows are not complete. */
  get(threadId: string): ThreadSummaryRow {
    const thread = this.find(threadId);
    if (thread === null) throw new RegisterError("not_found", `There is no thread ${threadId}.`);
    if (this.#isStale.get(threadId) !== undefined)
      throw new RegisterError(
        "busy",
        `Signalbox is rebuilding thread ${threadId} from its log. Try again in a moment.`,
      );
    return thread;
  }
}

/** Filters threads whose visible texts have all the words: in the typed order (`isPhrase`), or anywhere (`fits`). One word is not a phrase. */
function wordFilter({ text: typed, agent_labels: labels, newest_first: isByTime }: QueryArgs<"threads.list">) {
  const words = (typed ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const phrase = words.length > 1 && isByTime !== true ? words.join(" ") : null;
  const describe = (row: Row) => {
    const agent = text(row, "agent_id");
    const parts = [textOrNull(row, "title") ?? "Untitled", text(row, "cwd"), agent, labels?.[agent] ?? ""];
    return parts.join("\n").toLowerCase();
  };
  return {
    hasPhrase: phrase !== null,
    isPhrase: (row: Row) => phrase !== null && describe(row).includes(phrase),
    fits: (row: Row) => {
      if (words.length === 0) return true;
      const seen = describe(row);
      return words.every((word) => seen.includes(word)) && (phrase === null || !seen.includes(phrase));
    },
  };
}
