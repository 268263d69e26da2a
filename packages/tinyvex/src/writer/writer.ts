// Writes the register; nothing else does. Entries wait in a queue until their commit window closes, are stored in one transaction, and are
// published only when it is committed. When they cannot be stored they wait on, within a bound, and are tried again.
import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { type Change, type Fact, type Json, type PortableEvent, type ThreadRow } from "@signalbox/protocol";
import { Checkpointer } from "../database/checkpointer.ts";
import { sqliteCode, toRegisterError } from "../database/sqlite-error.ts";
import type { StaleThreads } from "../maintenance/stale-threads.ts";
import { ThreadDeletion } from "../maintenance/thread-deletion.ts";
import { type Entry, type LogEvent, RegisterError, type StagedEntry } from "../register.ts";
import { CommitWindow } from "./commit-window.ts";
import { EntryQueue, type PendingEntry } from "./entry-queue.ts";
import { IdleWork } from "./idle-work.ts";
import { LogFollowers } from "./log-followers.ts";
import { toMalformed } from "./malformed-entry.ts";
import { pendingFact, Recorder } from "./recorder.ts";
import { StagingArea } from "./staging-area.ts";

/** Half of it would be twice the commits, and each commit writes about 15 pages besides what it stores. */
const windowBytes = 512 * 1024;
/** What a batch of a rebuild writes, roughly. */
const rebuiltBytes = 512 * 1024;
/** The longest that closing may take for the index alone. */
const maxClosingMs = 1500;

interface WriterOptions {
  readonly path: string;
  readonly now: () => number;
  readonly publish: (changes: readonly Change[]) => void;
  readonly trouble: (trouble: RegisterError | null) => void;
}

type Phase = "open" | "replacing" | "closed";

export class Writer {
  readonly #database: DatabaseSync;
  readonly #options: WriterOptions;
  readonly #followers = new LogFollowers();
  readonly #queue = new EntryQueue((threadId) => this.#followers.has(threadId));
  readonly #window = new CommitWindow(
    () => this.flush(),
    () => this.#followers.isInUse,
  );
  readonly #indexing = new IdleWork(() => this.#indexSome());
  readonly #recorder: Recorder;
  readonly #deletion: ThreadDeletion;
  readonly #checkpointer: Checkpointer;
  readonly #staging: StagingArea;
  #phase: Phase = "open";
  /** Replacing a log takes one transaction over several turns of the event loop, and everything else waits for its end. */
  #replacing: Promise<void> = Promise.resolve();
  #trouble: RegisterError | null = null;
  /** Threads of which an entry was refused, until somebody asks. */
  readonly #failed = new Map<string, RegisterError>();

  constructor(database: DatabaseSync, options: WriterOptions) {
    this.#database = database;
    this.#options = options;
    this.#recorder = new Recorder(database, options.now);
    this.#deletion = new ThreadDeletion(database, this.#recorder.search);
    this.#checkpointer = new Checkpointer(database, options.path);
    this.#staging = new StagingArea(this.#recorder, this.#checkpointer, (step) => this.direct(step));
    this.#indexing.schedule();
  }

  followLog(threadId: string, listener: (events: readonly LogEvent[]) => void): () => void {
    return this.#followers.follow(threadId, listener);
  }

  append(threadId: string, entry: Entry): void {
    if (this.#phase === "closed") return;
    if (!this.#queue.add(threadId, entry, entry.at ?? this.#options.now())) {
      this.#failed.set(threadId, this.#trouble ?? replacing);
      return;
    }
    const isDue = this.#queue.size >= windowBytes || endsTurnNow(entry);
    if (isDue && this.#trouble === null && this.#phase === "open") this.flush();
    else this.#window.open();
  }

  stage(threadId: string, entry: StagedEntry): Promise<void> {
    return this.#staging.stage(threadId, entry);
  }

  stageText(threadId: string, text: string): Promise<Json> {
    return this.#staging.stageText(threadId, text);
  }

  /** Stores what waits. Gives the reason when it could not. */
  flush(): RegisterError | null {
    if (this.#queue.isEmpty) return null;
    if (this.#phase === "replacing") return replacing;
    const pending = this.#queue.all();
    let changes: readonly Change[];
    try {
      changes = this.#commit(() => pending.forEach((entry) => this.#store(entry)), this.#queue.size);
    } catch (error) {
      return sqliteCode(error) === null ? this.#flushSingly(pending) : this.#failedToStore(error);
    }
    this.#queue.remove(pending.length);
    this.#recovered();
    this.#publish(changes);
    return null;
  }

  /** Stores one fact, or rejects and keeps nothing of it. */
  async store(threadId: string, fact: Fact): Promise<void> {
    if (this.#phase === "replacing") await this.#replacing;
    this.appendFact(threadId, fact);
  }

  async settled(threadId: string): Promise<void> {
    if (this.#phase === "replacing") await this.#replacing;
    if (this.#phase === "closed") throw closed();
    const trouble = this.#queue.has(threadId) ? this.flush() : null;
    const failure = trouble ?? this.#failed.get(threadId);
    this.#failed.delete(threadId);
    if (failure !== undefined) throw failure;
  }

  createThread(threadId: string, fact: Fact, at = this.#options.now()): ThreadRow {
    return this.direct(() => this.#recorder.createThread(threadId, at, fact));
  }

  /** Stores one fact about a thread before it returns. Throws when it cannot. */
  appendFact(threadId: string, fact: Fact): ThreadRow {
    return this.direct(() => {
      const isStored = this.#record(pendingFact(threadId, fact, this.#options.now()));
      const thread = isStored ? this.#recorder.thread(threadId) : null;
      if (thread === null) throw noThread(threadId);
      return thread;
    });
  }

  /** Stores events of another register under their own `seq`. */
  addCopies(threadId: string, events: readonly PortableEvent[]): void {
    this.direct(() => events.map((event) => this.#recorder.storeCopy(threadId, event)));
  }

  /** Takes the thread out of sight; false when there is none. */
  deleteThread(threadId: string): boolean {
    const isThere = this.direct(() => this.#deletion.mark(threadId));
    this.#recorder.forget(threadId);
    if (isThere) this.#publish([{ type: "tinyvex.update", stream: "threads", deleted: threadId }]);
    return isThere;
  }

  /** Removes another slice of deleted threads; true when nothing is left to remove. */
  removeDeleted(): boolean {
    const [threadId] = this.#deletion.marked();
    if (threadId === undefined) return true;
    this.direct(() => this.#deletion.removeSlice(threadId));
    return false;
  }

  /** Any other write: what came before it is stored first, then the work, alone in its transaction. */
  direct<Result>(work: (database: DatabaseSync) => Result): Result {
    this.#prepare();
    const results: Result[] = [];
    let changes: readonly Change[];
    try {
      changes = this.#commit(() => results.push(work(this.#database)), 0);
    } catch (error) {
      throw toRegisterError(error, this.#options.path);
    }
    this.#publish(changes);
    const [result] = results;
    if (result === undefined) throw new RegisterError("internal", "A write ended without a result.");
    return result;
  }

  get path(): string {
    return this.#options.path;
  }

  get stale(): StaleThreads {
    return this.#recorder.stale;
  }

  /** Makes every thread stale, after what came before is stored. */
  makeRowsStale(): void {
    this.direct(() => {
      this.#recorder.makeRowsStale();
      return true;
    });
  }

  /** Makes some of the rows of a stale thread; true when they are complete. */
  rebuildSome(threadId: string): boolean {
    const isComplete = this.direct(() => this.#recorder.rebuildSome(threadId));
    this.#checkpointer.committed(rebuiltBytes);
    return isComplete;
  }

  /** Resolves when the disk has caught up with what a rebuild writes. */
  room(): Promise<void> {
    return this.#checkpointer.room();
  }

  /** Indexes some of what waits for it; false when nothing does. */
  indexSome(): boolean {
    return this.#recorder.search.mayHaveWork && this.#indexSome();
  }

  /** Closes what a process that died left open. */
  recover(): void {
    this.direct(() => {
      this.#recorder.recover();
      return true;
    });
  }

  /** Replaces the log of a thread, and its rows; what comes meanwhile waits. */
  async replaceLog(threadId: string, batches: AsyncIterable<readonly PortableEvent[]>): Promise<void> {
    await this.#alone(async () => {
      const replaced = this.#recorder.replace(threadId);
      while (!replaced.removeSlice()) await setImmediate();
      this.#recorder.reset();
      for await (const events of batches) {
        for (const event of events) this.#recorder.storeCopy(threadId, event);
        this.#recorder.endWindow();
        await setImmediate();
      }
      replaced.finish();
      while (this.#recorder.search.indexSome()) await setImmediate();
    });
    this.#recorder.reset();
  }

  /** Long work in one transaction, over several turns of the event loop: either all of it is stored or nothing is. */
  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#prepare();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#replacing = promise;
    this.#phase = "replacing";
    try {
      this.#recorder.begin();
      const result = await work();
      this.#recorder.commit();
      return result;
    } catch (error) {
      this.#recorder.rollback();
      throw toRegisterError(error, this.#options.path);
    } finally {
      this.#phase = "open";
      this.flush();
      resolve();
    }
  }

  /** Gives freed space back to the file system. What was deleted is gone from the file, its words too. */
  async vacuum(): Promise<void> {
    for (
      let isFirst = true;
      this.direct(() => ({ isMore: this.#recorder.search.forgetSome(isFirst) })).isMore;
      isFirst = false
    )
      await setImmediate();
    this.#prepare();
    try {
      this.#database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      throw toRegisterError(error, this.#options.path);
    }
  }

  async close(): Promise<RegisterError | null> {
    this.#window.close();
    this.#indexing.close();
    const trouble = this.flush();
    // A search after the restart should find what came before it.
    this.indexPending(maxClosingMs);
    this.#phase = "closed";
    await this.#checkpointer.close();
    return trouble;
  }

  /** For synchronous work: the register must be free, and everything before must be stored. */
  #prepare(): void {
    if (this.#phase === "closed") throw closed();
    if (this.#phase === "replacing") throw replacing;
    const trouble = this.flush();
    if (trouble !== null) throw trouble;
  }

  #commit(work: () => void, bytes: number): readonly Change[] {
    this.#followers.begin();
    const changes = this.#recorder.transaction(work);
    this.#checkpointer.committed(bytes);
    if (this.#recorder.search.mayHaveWork) this.#indexing.schedule();
    return changes;
  }

  /** False when the thread is gone. */
  #record(entry: PendingEntry): boolean {
    const seq = this.#recorder.store(entry);
    if (seq !== null) this.#followers.stored(entry, seq);
    return seq !== null;
  }

  #store(entry: PendingEntry): void {
    if (!this.#record(entry)) this.#failed.set(entry.threadId, noThread(entry.threadId));
  }

  /**
   * Something in the window cannot be projected, and not because of the disk: an entry that breaks our code. Each is stored
   * alone, and the one that breaks again is kept as malformed, so that it holds up nothing else.
   */
  #flushSingly(pending: readonly PendingEntry[]): RegisterError | null {
    for (const entry of pending) {
      try {
        this.#flushOne(entry);
      } catch (error) {
        if (sqliteCode(error) !== null) return this.#failedToStore(error);
        try {
          this.#flushOne(toMalformed(entry, error));
        } catch (again) {
          return this.#failedToStore(again);
        }
      }
      this.#queue.remove(1);
    }
    this.#recovered();
    return null;
  }

  #flushOne(entry: PendingEntry): void {
    this.#publish(this.#commit(() => this.#store(entry), 0));
  }

  #failedToStore(error: unknown): RegisterError {
    const trouble = toRegisterError(error, this.#options.path);
    this.#trouble = trouble;
    this.#window.retry();
    this.#options.trouble(trouble);
    return trouble;
  }

  /** Writing works again: the log says what is missing. */
  #recovered(): void {
    for (const [threadId, count] of this.#queue.takeRefused()) {
      const reason = this.#trouble?.message ?? replacing.message;
      this.append(threadId, { type: "fact", fact: { type: "entries_lost", count, reason } });
    }
    if (this.#trouble === null) return;
    this.#trouble = null;
    this.#options.trouble(null);
  }

  /** Makes findable what waits to be, for as long as `ms`: who searches expects to find what was there before. */
  indexPending(ms: number): void {
    const deadline = performance.now() + ms;
    try {
      while (this.#recorder.search.mayHaveWork && performance.now() < deadline && this.#indexSome());
    } catch {
      // Who cannot write now can still search what is indexed.
    }
  }

  /** A little of what is still to be made findable; false when nothing is, or when it has to wait. */
  #indexSome(): boolean {
    if (this.#phase !== "open" || this.#trouble !== null) return false;
    let isMore = false;
    this.#recorder.transaction(() => {
      isMore = this.#recorder.search.indexSome();
    });
    return isMore;
  }

  #publish(changes: readonly Change[]): void {
    this.#followers.publish();
    if (changes.length > 0) this.#options.publish(changes);
  }
}

const turnEnds: ReadonlySet<Fact["type"]> = new Set(["turn_ended", "turn_failed", "turn_interrupted"]);

/** A person waits for the end of a turn, so it does not wait for the commit window. Nobody waits for one that is imported. */
function endsTurnNow(entry: Entry): boolean {
  return entry.type === "fact" && entry.at === undefined && turnEnds.has(entry.fact.type);
}

const replacing = new RegisterError("busy", "A thread is being rewritten. Entries are stored when that is done.");

function closed(): RegisterError {
  return new RegisterError("closed", "The register is closed.");
}

function noThread(threadId: string): RegisterError {
  return new RegisterError("not_found", `There is no thread ${threadId}.`);
}
