// `threads.list`: the most recently active first. Counts are kept in the row, so that a page costs its length.
import type { DatabaseSync } from "node:sqlite";
import type { QueryArgs, ThreadRow, ThreadSummaryRow } from "@signalbox/protocol";
import { RegisterError } from "../register.ts";
import { badCursor, cursorOf, limitOf, toCursor } from "./arguments.ts";
import { readThread, readThreadSummary } from "./rows.ts";

export class ThreadsQuery {
  readonly #page;
  readonly #find;

  constructor(database: DatabaseSync) {
    this.#page = database.prepare(
      `SELECT * FROM threads
       WHERE deleting = 0 AND archived = $archived AND (updated_at, id) < ($updated_at, $id)
         AND ($agent_id IS NULL OR agent_id = $agent_id) AND ($cwd IS NULL OR cwd = $cwd)
         AND ($status IS NULL OR status = $status)
       ORDER BY updated_at DESC, id DESC LIMIT $limit`,
    );
    this.#find = database.prepare("SELECT * FROM threads WHERE id = ? AND deleting = 0");
  }

  list(args: QueryArgs<"threads.list">): { readonly rows: readonly ThreadSummaryRow[]; readonly next_cursor?: string } {
    const limit = limitOf(args);
    const [updatedAt, id] = cursorOf(args) ?? [Number.MAX_SAFE_INTEGER, ""];
    if (typeof updatedAt !== "number" || typeof id !== "string") throw badCursor();
    const rows = this.#page
      .all({
        $archived: args.archived === true ? 1 : 0,
        $updated_at: updatedAt,
        $id: id,
        $agent_id: args.agent_id ?? null,
        $cwd: args.cwd ?? null,
        $status: args.status ?? null,
        $limit: limit + 1,
      })
      .map(readThreadSummary);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    if (rows.length <= limit || last === undefined) return { rows: page };
    return { rows: page, next_cursor: toCursor([last.updated_at, last.id]) };
  }

  find(threadId: string): ThreadRow | null {
    const row = this.#find.get(threadId);
    return row === undefined ? null : readThread(row);
  }

  /** Throws `not_found` when there is no such thread. */
  get(threadId: string): ThreadRow {
    const thread = this.find(threadId);
    if (thread === null) throw new RegisterError("not_found", `There is no thread ${threadId}.`);
    return thread;
  }
}
