// Stores the append-only log: every event of a thread under a `seq` without gaps. An update that repeats most of the one before it in its tool
// call is stored as a difference from that one (`base` is its seq).
import type { DatabaseSync } from "node:sqlite";
import type { Json } from "@signalbox/protocol";
import { integer, integerOrNull, type Row, text, textOrNull } from "../database/row.ts";
import { applyDifference, type Difference, findDifference } from "./differences.ts";
import { type LogSource, parseSource } from "./long-text.ts";

/** One event of the log on its way into the rows. */
export interface LoggedEvent {
  readonly threadId: string;
  readonly seq: number;
  readonly ts: number;
  readonly kind: string;
  /** The payload; a string of over 64 KB is a `LongText`. */
  readonly value: Json;
  /** The places (JSON Pointers) of the long texts. */
  readonly refs: readonly string[];
  /** The length of the payload's JSON without the long texts. */
  readonly size: number;
}

/** An event that another can be a difference from. */
interface Base {
  readonly seq: number;
  readonly json: string;
  readonly depth: number;
}

/** Shorter payloads are stored as they are, and longer ones are not compared. */
const minCompared = 1024;
const maxCompared = 512 * 1024;
/** So many events are read at most to read one. */
const maxDepth = 256;

export class EventLog {
  readonly #insert;
  readonly #find;
  readonly #after;
  /** The payload that was read last: events are read in order, and each is often the base of the next. */
  #last: { readonly threadId: string; readonly seq: number; readonly json: string } | null = null;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      "INSERT INTO acp_events(thread_id, seq, ts, kind, payload, refs, base) VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
    this.#find = database.prepare("SELECT * FROM acp_events WHERE thread_id = ? AND seq = ?");
    this.#after = database.prepare("SELECT * FROM acp_events WHERE thread_id = ? AND seq > ? ORDER BY seq LIMIT ?");
  }

  /** Gives how many events have to be read to read this one, and how many characters were stored. */
  append(
    event: LoggedEvent,
    { json, refs }: LogSource,
    base?: Base,
  ): { readonly depth: number; readonly stored: number } {
    const { threadId, seq, ts, kind } = event;
    const difference = base === undefined ? null : smallDifference(base, json);
    const payload = difference ?? json;
    const baseSeq = difference === null ? null : (base?.seq ?? null);
    this.#insert.run(threadId, seq, ts, kind, payload, refs.length === 0 ? null : JSON.stringify(refs), baseSeq);
    return { depth: difference === null ? 0 : (base?.depth ?? 0) + 1, stored: payload.length };
  }

  /** Forgets what was read: it may not have been stored. */
  reset(): void {
    this.#last = null;
  }

  find(threadId: string, seq: number): LoggedEvent | null {
    const row = this.#find.get(threadId, seq);
    return row === undefined ? null : this.read(row);
  }

  /** The next events of a thread, and how many characters each takes. */
  *after(
    threadId: string,
    seq: number,
    limit: number,
  ): Iterable<{ readonly event: LoggedEvent; readonly stored: number }> {
    for (const row of this.#after.iterate(threadId, seq, limit))
      yield { event: this.read(row), stored: text(row, "payload").length };
  }

  /** An event from its row of the table. */
  read(row: Row): LoggedEvent {
    return this.readWithJson(row).event;
  }

  /** The same, and its JSON as it was logged. */
  readWithJson(row: Row): { readonly event: LoggedEvent; readonly json: string } {
    const head = {
      threadId: text(row, "thread_id"),
      seq: integer(row, "seq"),
      ts: integer(row, "ts"),
      kind: text(row, "kind"),
    };
    const refs: readonly string[] = JSON.parse(textOrNull(row, "refs") ?? "[]");
    const json = this.json(row);
    return { event: { ...head, value: parseSource({ json, refs }), refs, size: json.length }, json };
  }

  /** The payload of a row exactly as it was written; null where a long text stands elsewhere. */
  written(row: Row): string | null {
    return textOrNull(row, "refs") === null ? this.json(row) : null;
  }

  /** The JSON of an event as it was logged. */
  json(row: Row): string {
    const threadId = text(row, "thread_id");
    const stored = text(row, "payload");
    const base = integerOrNull(row, "base");
    const json = base === null ? stored : applyDifference(this.#basePayload(threadId, base), parseDifference(stored));
    if (json.length <= maxCompared) this.#last = { threadId, seq: integer(row, "seq"), json };
    return json;
  }

  #basePayload(threadId: string, seq: number): string {
    if (this.#last?.threadId === threadId && this.#last.seq === seq) return this.#last.json;
    const row = this.#find.get(threadId, seq);
    if (row === undefined) throw new Error(`the log needs event ${seq} of thread ${threadId}, which is gone`);
    return this.json(row);
  }
}

function smallDifference({ json: base, depth }: Base, json: string): string | null {
  if (depth >= maxDepth || json.length < minCompared || json.length > maxCompared) return null;
  const difference = findDifference(base, json);
  return difference === null ? null : JSON.stringify(difference);
}

function parseDifference(stored: string): Difference {
  const difference: Difference = JSON.parse(stored);
  return difference;
}
