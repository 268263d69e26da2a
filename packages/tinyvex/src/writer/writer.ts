// The one writer. Entries wait in the intake, are logged and projected in one transaction, and are published only when it
// is committed. When it cannot be committed they wait on, within a bound, and are tried again.
import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type { Change, Fact, ThreadRow } from "@signalbox/protocol";
import { toRegisterError } from "../database/sqlite-error.ts";
import { EventLog } from "../log/event-log.ts";
import { startReplay } from "../maintenance/rebuild.ts";
import { ThreadDeletion } from "../maintenance/thread-deletion.ts";
import type { LoggedEvent } from "../projection/event.ts";
import { Projector } from "../projection/projector.ts";
import { toThreadRow } from "../projection/thread-state.ts";
import { type Entry, RegisterError } from "../register.ts";
import { CommitWindow } from "./commit-window.ts";
import { chunksPayload, Intake, type Pending } from "./intake.ts";

/** What may wait while nothing can be stored; beyond it, entries are refused. */
const WAITING_LIMIT = 32 * 1024 * 1024;
const REBUILDING = new RegisterError("busy", "The register is being rebuilt; what came is stored when that is done.");
const WINDOW_BYTES = 256 * 1024;

export interface WriterOptions {
  readonly path: string;
  readonly now: () => number;
  readonly publish: (changes: readonly Change[]) => void;
  readonly trouble: (trouble: RegisterError | null) => void;
}

export class Writer {
  readonly #database: DatabaseSync;
  readonly #options: WriterOptions;
  readonly #intake = new Intake();
  readonly #window: CommitWindow;
  readonly #log: EventLog;
  readonly #projector: Projector;
  readonly #deletion: ThreadDeletion;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  #trouble: RegisterError | null = null;
  /** The rebuild holds a transaction over several turns of the event loop; what comes meanwhile waits. */
  #isRebuilding = false;
  /** Threads of which an entry was refused or could not be stored, until somebody asks. */
  readonly #failed = new Map<string, RegisterError>();

  constructor(database: DatabaseSync, options: WriterOptions) {
    this.#database = database;
    this.#options = options;
    this.#log = new EventLog(database);
    this.#projector = new Projector(database);
    this.#deletion = new ThreadDeletion(database);
    this.#window = new CommitWindow(() => this.flush());
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#rollback = database.prepare("ROLLBACK");
  }

  append(threadId: string, entry: Entry): void {
    if (this.#intake.size > WAITING_LIMIT && this.#trouble !== null) {
      this.#failed.set(threadId, this.#trouble);
      return;
    }
    this.#intake.add(threadId, entry, this.#options.now());
    if (this.#intake.size >= WINDOW_BYTES && this.#trouble === null) this.flush();
    else this.#window.open();
  }

  /** Stores what waits. Gives the reason when it could not. */
  flush(): RegisterError | null {
    if (this.#isRebuilding) return REBUILDING;
    if (this.#intake.isEmpty) return null;
    const pending = this.#intake.all();
    const count = pending.length;
    try {
      const changes = this.#transaction(() => {
        for (const entry of pending) this.#store(entry);
      });
      this.#intake.remove(count);
      this.#recovered();
      this.#publish(changes);
      return null;
    } catch (error) {
      this.#trouble = toRegisterError(error, this.#options.path);
      this.#options.trouble(this.#trouble);
      this.#window.retry();
      return this.#trouble;
    }
  }

  settled(threadId: string): Promise<void> {
    const trouble = this.#intake.has(threadId) ? this.flush() : null;
    const failure = trouble ?? this.#failed.get(threadId);
    this.#failed.delete(threadId);
    return failure === undefined ? Promise.resolve() : Promise.reject(failure);
  }

  createThread(threadId: string, fact: Fact): ThreadRow {
    const ts = this.#options.now();
    return this.#direct(() => {
      const event: LoggedEvent = { threadId, seq: 1, ts, kind: `signalbox/${fact.type}`, value: { ...fact } };
      const record = this.#projector.createThread(event);
      this.#log.append(threadId, 1, ts, event.kind, JSON.stringify(fact));
      return toThreadRow(record);
    });
  }

  /** One fact about a thread, stored at once, or refused at once. */
  state(threadId: string, fact: Fact): ThreadRow {
    return this.#direct(() => {
      const intake = new Intake();
      intake.add(threadId, { type: "fact", fact }, this.#options.now());
      intake.all().forEach((entry) => this.#store(entry));
      const state = this.#projector.states.get(threadId);
      if (state === null) throw new RegisterError("not_found", `There is no thread ${threadId}.`);
      return toThreadRow(state.record);
    });
  }

  /** Takes the thread away and what waits for it; true when it was there. */
  deleteThread(threadId: string): boolean {
    this.#intake.forget(threadId);
    const isMarked = this.#direct(() => this.#deletion.mark(threadId));
    this.#projector.states.forget(threadId);
    if (isMarked) this.#publish([{ type: "tinyvex.update", stream: "threads", deleted: threadId }]);
    return isMarked;
  }

  /** Removes another slice of deleted threads; true when nothing is left to remove. */
  removeDeleted(): boolean {
    const [threadId] = this.#deletion.marked();
    if (threadId === undefined) return true;
    this.#direct(() => this.#deletion.removeSlice(threadId));
    return false;
  }

  /** Any other write, in order with the rest. */
  direct<Result>(work: (database: DatabaseSync) => Result): Result {
    return this.#direct(() => work(this.#database));
  }

  async rebuild(onProgress: (done: number, total: number) => void): Promise<void> {
    const trouble = this.flush();
    if (trouble !== null) throw trouble;
    this.#isRebuilding = true;
    try {
      this.#begin.run();
      const replay = startReplay(this.#database, this.#projector);
      let done = 0;
      while (replay.next()) {
        done = Math.min(replay.total, done + replay.batch);
        onProgress(done, replay.total);
        await setImmediate();
      }
      this.#commit.run();
      onProgress(replay.total, replay.total);
    } catch (error) {
      if (this.#database.isTransaction) this.#rollback.run();
      throw toRegisterError(error, this.#options.path);
    } finally {
      this.#projector.reset();
      this.#isRebuilding = false;
      this.#window.open();
    }
  }

  close(): RegisterError | null {
    this.#window.close();
    return this.flush();
  }

  /** What comes first is stored first; then the work, alone in its transaction. */
  #direct<Result>(work: () => Result): Result {
    const trouble = this.flush();
    if (trouble !== null) throw trouble;
    let result: { readonly value: Result } | null = null;
    let changes: readonly Change[];
    try {
      changes = this.#transaction(() => {
        result = { value: work() };
      });
    } catch (error) {
      throw toRegisterError(error, this.#options.path);
    }
    this.#publish(changes);
    if (result === null) throw new RegisterError("internal", "A write ended without a result.");
    return (result as { readonly value: Result }).value;
  }

  #transaction(work: () => void): readonly Change[] {
    this.#begin.run();
    try {
      work();
      const changes = this.#projector.endWindow();
      this.#commit.run();
      this.#projector.states.trim();
      return changes;
    } catch (error) {
      this.#projector.reset();
      // Some errors (disk full) have rolled back already.
      if (this.#database.isTransaction) this.#rollback.run();
      throw error;
    }
  }

  #store(entry: Pending): void {
    const { threadId, ts } = entry;
    const state = this.#projector.states.get(threadId);
    if (state === null) {
      this.#failed.set(threadId, new RegisterError("not_found", `There is no thread ${threadId}.`));
      return;
    }
    const { kind, payload, value } = toEvent(entry);
    const seq = state.record.last_seq + 1;
    this.#log.append(threadId, seq, ts, kind, payload);
    state.record.bytes += payload.length;
    this.#projector.apply(state, { threadId, seq, ts, kind, value });
  }

  #recovered(): void {
    if (this.#trouble === null) return;
    this.#trouble = null;
    this.#options.trouble(null);
  }

  #publish(changes: readonly Change[]): void {
    if (changes.length > 0) this.#options.publish(changes);
  }
}

function toEvent(entry: Pending): Pick<LoggedEvent, "kind" | "value"> & { readonly payload: string } {
  switch (entry.form) {
    case "event":
      return entry;
    case "chunks":
      return { kind: entry.kind, ...chunksPayload(entry) };
    case "output": {
      const { terminalId, text, count } = entry;
      const fact = { type: "terminal_output", terminal_id: terminalId, text };
      const value = count === 1 ? fact : { ...fact, chunks: count };
      return { kind: "signalbox/terminal_output", payload: JSON.stringify(value), value };
    }
  }
}
