// What happens inside a transaction: an entry is packed and logged under the next `seq` of its thread, and projected.
// Either all of a window is stored, or nothing is and everything that was remembered about it is forgotten.
import type { DatabaseSync } from "node:sqlite";
import type { Change, Fact, ThreadRow } from "@signalbox/protocol";
import { BlobStore } from "../blobs/blob-store.ts";
import { EventLog, type LoggedEvent } from "../log/event-log.ts";
import { type Packed, PayloadPacker } from "../log/payload-packing.ts";
import { type Replay, startReplay } from "../maintenance/rebuild.ts";
import { Projector } from "../projection/projector.ts";
import { toThreadRow } from "../projection/thread-state.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { chunksPayload, type Pending, type PendingOutput } from "./intake.ts";

const OUTPUT = "signalbox/terminal_output";

export class Recorder {
  readonly #database: DatabaseSync;
  readonly #log: EventLog;
  readonly #packer: PayloadPacker;
  readonly #projector: Projector;
  readonly #begin;
  readonly #commit;
  readonly #rollback;

  constructor(database: DatabaseSync) {
    const blobs = new BlobStore(database);
    this.#database = database;
    this.#packer = new PayloadPacker(blobs);
    this.#log = new EventLog(database, blobs.reader);
    this.#projector = new Projector(database, blobs, this.#log);
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#rollback = database.prepare("ROLLBACK");
  }

  get search(): SearchIndex {
    return this.#projector.search;
  }

  /** Does the work and commits; gives what it changed. */
  transaction(work: () => void): readonly Change[] {
    this.begin();
    try {
      work();
      const changes = this.#projector.endWindow();
      this.commit();
      return changes;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  begin(): void {
    this.#begin.run();
  }

  commit(): void {
    this.#commit.run();
    this.#projector.states.trim();
  }

  rollback(): void {
    this.#projector.reset();
    this.#packer.reset();
    // Some errors (disk full) have rolled back already.
    if (this.#database.isTransaction) this.#rollback.run();
  }

  /** Logs and projects an entry; false when its thread is gone. */
  store(entry: Pending): boolean {
    const { threadId, ts } = entry;
    const state = this.#projector.states.get(threadId);
    if (state === null) return false;
    const toolCallId = entry.form === "event" ? this.#projector.openToolCall(state, entry.kind, entry.value) : null;
    const { payload, value, cuts } = this.#pack(entry, toolCallId);
    const kind = entry.form === "output" ? OUTPUT : entry.kind;
    const event: LoggedEvent = { threadId, seq: state.record.last_seq + 1, ts, kind, value, cuts };
    this.#log.append(event, payload);
    state.record.bytes += payload.length;
    this.#projector.apply(state, event);
    if (toolCallId !== null && this.#projector.hasEnded(state, toolCallId)) this.#packer.forget(threadId, toolCallId);
    return true;
  }

  createThread(threadId: string, ts: number, fact: Fact): ThreadRow {
    const event: LoggedEvent = { threadId, seq: 1, ts, kind: `signalbox/${fact.type}`, value: { ...fact }, cuts: [] };
    const record = this.#projector.createThread(event);
    this.#log.append(event, JSON.stringify(fact));
    return toThreadRow(record);
  }

  thread(threadId: string): ThreadRow | null {
    const state = this.#projector.states.get(threadId);
    return state === null ? null : toThreadRow(state.record);
  }

  forget(threadId: string): void {
    this.#projector.states.forget(threadId);
  }

  /** Drops the projections; the replay makes them again. Between `begin` and `commit`. */
  replay(): Replay {
    return startReplay(this.#database, this.#log, this.#projector);
  }

  #pack(entry: Pending, toolCallId: string | null): Packed {
    switch (entry.form) {
      case "event": {
        const { threadId, payload, value, strings } = entry;
        return this.#packer.pack({ threadId, payload, value, toolCallId, strings });
      }
      case "chunks":
        return this.#packer.pack({ threadId: entry.threadId, ...chunksPayload(entry), toolCallId: null });
      case "output":
        return this.#packOutput(entry);
    }
  }

  /** The output itself lies where the terminal has it; only late output, of which the terminal knows nothing, stays here. */
  #packOutput({ threadId, terminalId, text, count }: PendingOutput): Packed {
    const place = this.#projector.storeOutput(threadId, terminalId, text);
    const head = { type: "terminal_output", terminal_id: terminalId };
    const rest = count === 1 ? {} : { chunks: count };
    const value = { ...head, text: place === null ? text : "", ...rest };
    const payload = JSON.stringify(value);
    if (place === null) return { payload, cuts: [], value };
    const at = JSON.stringify(head).length + '"text":"'.length;
    return { payload, cuts: [{ at, ...place, as: "string" }], value };
  }
}
