// The threads whose rows have still to be made from the log. A thread's events are replayed in batches, each in a transaction that also stores how
// far it came, so a process that dies in between goes on from there. Until a thread is done, its row in `threads` is the one from before.
import type { DatabaseSync } from "node:sqlite";
import { columnName, isFact, type RowOf } from "@signalbox/protocol";
import { integer, text, textOrNull } from "../database/row.ts";
import { resetRowTables } from "../database/row-tables.ts";
import { buildInsert, buildSelect } from "../database/table.ts";
import { threads } from "../database/tables.ts";
import { EventLog, type LoggedEvent } from "../log/event-log.ts";
import type { Projector } from "../projection/projector.ts";
import { newThreadRecord, type ThreadRecord } from "../projection/thread-state.ts";
import { readLogged } from "../writer/entry-queue.ts";
import { UnusedBlobs } from "./unused-blobs.ts";

/** A batch ends at so many events, or so many characters. */
const batchEvents = 1000;
const batchLength = 512 * 1024;

/** Makes all row tables anew and every thread stale. Must run inside a transaction. */
export function makeRowsStale(database: DatabaseSync): void {
  const carried = carryThreads(database);
  resetRowTables(database);
  database.exec(`INSERT INTO stale_threads(thread_id, last_event, events, replayed)
    SELECT thread_id, max(id), max(seq), 0 FROM acp_events
    WHERE thread_id NOT IN (SELECT thread_id FROM deleted_threads) GROUP BY thread_id HAVING min(seq) = 1`);
  const log = new EventLog(database);
  const insert = buildInsert(database, threads);
  for (const row of database.prepare("SELECT thread_id FROM stale_threads").all()) {
    const created = log.find(text(row, "thread_id"), 1);
    if (created !== null && isFact(created.value) && created.value.type === "thread_created")
      insert(newThreadRecord(created, created.value));
  }
  if (carried.length > 0) {
    const values = carried.map((name) => `${name} = k.${name}`).join(", ");
    database.exec(`UPDATE threads SET ${values} FROM carried_threads AS k WHERE k.id = threads.id`);
  }
  database.exec(`DROP TABLE IF EXISTS temp.carried_threads;
    DELETE FROM stale_threads WHERE thread_id NOT IN (SELECT id FROM threads)`);
}

/** Keeps the list of threads as it is until each is rebuilt: copies it and returns the columns that it still has. */
function carryThreads(database: DatabaseSync): readonly string[] {
  const stored = database.prepare("SELECT name, type FROM pragma_table_info('threads')").all();
  if (stored.length === 0) return [];
  database.exec(
    "DROP TABLE IF EXISTS temp.carried_threads; CREATE TEMP TABLE carried_threads AS SELECT * FROM threads",
  );
  const types = new Map(stored.map((row) => [text(row, "name"), text(row, "type")]));
  return Object.entries(threads.columns)
    .filter(([field, { type }]) => types.get(columnName(threads.columns, field)) === type)
    .map(([field]) => columnName(threads.columns, field));
}

export class StaleThreads {
  readonly #log: EventLog;
  readonly #projector: Projector;
  readonly #blobs: UnusedBlobs;
  readonly #statements;
  /** How many events of each thread are still to be replayed; the thread that was active last comes first. */
  #left = new Map<string, number>();

  constructor(database: DatabaseSync, log: EventLog, projector: Projector) {
    this.#log = log;
    this.#projector = projector;
    this.#blobs = new UnusedBlobs(database);
    this.#statements = {
      all: database.prepare(
        "SELECT thread_id, events - replayed AS events FROM stale_threads ORDER BY last_event DESC",
      ),
      find: database.prepare("SELECT replayed, row_json FROM stale_threads WHERE thread_id = ?"),
      move: database.prepare("UPDATE stale_threads SET replayed = ?, row_json = ? WHERE thread_id = ?"),
      end: database.prepare("DELETE FROM stale_threads WHERE thread_id = ?"),
      row: buildSelect(database, threads, "WHERE id = ?"),
      dropRow: database.prepare("DELETE FROM threads WHERE id = ?"),
      addRow: buildInsert(database, threads),
    };
    this.reload();
  }

  /** Reads again which they are. */
  reload(): void {
    this.#left = new Map(this.#statements.all.all().map((row) => [text(row, "thread_id"), integer(row, "events")]));
  }

  has(threadId: string): boolean {
    return this.#left.has(threadId);
  }

  ids(): Iterable<string> {
    return this.#left.keys();
  }

  /** The one that was active last; null when no other is left. */
  first(except: ReadonlyMap<string, unknown>): string | null {
    for (const threadId of this.#left.keys()) if (!except.has(threadId)) return threadId;
    return null;
  }

  get eventsLeft(): number {
    return [...this.#left.values()].reduce((sum, events) => sum + events, 0);
  }

  /** Replays some events of a thread; true when its rows are complete. Must run inside a transaction. */
  replaySome(threadId: string): boolean {
    const stale = this.#statements.find.get(threadId);
    if (stale === undefined) return true;
    const replayed = integer(stale, "replayed");
    // Blobs that the previous rows made: whatever is still needed is made again.
    if (replayed === 0 && this.#blobs.dropUses(threadId, "rows")) return false;
    const [shown] = this.#statements.row(threadId);
    this.#projector.states.forget(threadId);
    this.#replaceRow(threadId, parseRow(textOrNull(stale, "row_json")));
    const done = this.#replayEvents(threadId, replayed);
    if (done === null) {
      this.#statements.end.run(threadId);
      this.#left.delete(threadId);
      return true;
    }
    const [partial] = this.#statements.row(threadId);
    this.#replaceRow(threadId, shown);
    this.#statements.move.run(done, JSON.stringify(partial), threadId);
    this.#left.set(threadId, (this.#left.get(threadId) ?? 0) - (done - replayed));
    return false;
  }

  /** Gives the last seq that was replayed; null when it is the thread's last. */
  #replayEvents(threadId: string, seq: number): number | null {
    let last = seq;
    let length = 0;
    let isMore = false;
    for (const { event, stored } of this.#log.after(threadId, seq, batchEvents + 1)) {
      isMore = event.seq > seq + batchEvents || length > batchLength;
      if (isMore) break;
      this.#replay(event, stored);
      last = event.seq;
      length += stored;
    }
    // The changes were published when they happened.
    this.#projector.endWindow();
    this.#projector.states.trim();
    return isMore ? last : null;
  }

  #replay(event: LoggedEvent, stored: number): void {
    if (event.seq === 1) {
      this.#projector.createThread(event);
      return;
    }
    const state = this.#projector.states.get(event.threadId);
    if (state === null) throw new Error(`thread ${event.threadId} has no row`);
    state.record.bytes += stored;
    this.#projector.apply(state, event, readLogged(event.kind, event.value));
  }

  #replaceRow(threadId: string, row: RowOf<typeof threads.columns> | null | undefined): void {
    this.#statements.dropRow.run(threadId);
    if (row !== null && row !== undefined) this.#statements.addRow(row);
  }
}

function parseRow(stored: string | null): ThreadRecord | null {
  return stored === null ? null : JSON.parse(stored);
}
