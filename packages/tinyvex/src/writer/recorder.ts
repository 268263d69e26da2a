// Stores entries inside a transaction: each is logged under the next `seq` of its thread, and projected. Either all of a window
// is stored, or nothing is, and everything that was remembered about it is forgotten.
import type { DatabaseSync } from "node:sqlite";
import { type Change, type Fact, isFact, type PortableEvent, type ThreadRow, type Update } from "@signalbox/protocol";
import type { SealedBlob } from "../blobs/blob-reader.ts";
import { BlobStore } from "../blobs/blob-store.ts";
import { EventLog, type LoggedEvent } from "../log/event-log.ts";
import { createReference, type LogSource, parseSource } from "../log/long-text.ts";
import { type SentUpdate, SentUpdates } from "../log/sent-updates.ts";
import { factsAboutOpenThings } from "../maintenance/recovery.ts";
import { ReplacedThread } from "../maintenance/replaced-thread.ts";
import { makeRowsStale, StaleThreads } from "../maintenance/stale-threads.ts";
import { Projector } from "../projection/projector.ts";
import { toThreadRow } from "../projection/thread-state.ts";
import { RegisterError } from "../register.ts";
import type { SearchIndex } from "../search/search-index.ts";
import { entryOfCopy } from "./copied-entry.ts";
import {
  chunksEvent,
  EntryQueue,
  outputKind,
  type PendingEntry,
  type PendingEvent,
  type PendingOutput,
} from "./entry-queue.ts";

export class Recorder {
  readonly #database: DatabaseSync;
  readonly #blobs: BlobStore;
  readonly #log: EventLog;
  readonly #sent = new SentUpdates();
  readonly #projector: Projector;
  readonly stale: StaleThreads;
  readonly #now: () => number;
  /** Stale threads in which a process that died may have left something open. */
  #unrecovered: ReadonlySet<string> = new Set();
  /** What this transaction changed before rows had to be rebuilt in it. */
  readonly #changes: Change[] = [];
  readonly #begin;
  readonly #commit;
  readonly #rollback;

  constructor(database: DatabaseSync, now: () => number) {
    this.#database = database;
    this.#now = now;
    this.#blobs = new BlobStore(database);
    this.#log = new EventLog(database);
    this.#projector = new Projector(database, this.#blobs, this.#log);
    this.stale = new StaleThreads(database, this.#log, this.#projector);
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
      const changes = [...this.#changes, ...this.#projector.endWindow()];
      this.#changes.length = 0;
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
    this.reset();
    // Some errors (disk full) have rolled back already.
    if (this.#database.isTransaction) this.#rollback.run();
  }

  /** Logs and projects an entry. Gives its seq; null when its thread is gone. */
  store(entry: PendingEntry): number | null {
    const { threadId, ts } = entry;
    this.#rebuild(threadId);
    const state = this.#projector.states.get(threadId);
    if (state === null) return null;
    const { source, value, update } = this.#readEvent(entry);
    const kind = entry.form === "output" ? outputKind : entry.kind;
    const toolCallId = this.#projector.openToolCall(state, kind, value, update);
    const before = toolCallId === null ? undefined : this.#sent.find(threadId, toolCallId);
    const texts = this.#storeTexts(threadId, source, before);
    const seq = state.record.last_seq + 1;
    const event: LoggedEvent = { threadId, seq, ts, kind, value, refs: source.refs, size: source.json.length };
    const { depth, stored } = this.#log.append(event, source, before);
    state.record.bytes += stored;
    this.#projector.apply(state, event, update);
    if (toolCallId !== null) {
      if (this.#projector.hasEnded(state, toolCallId)) this.#sent.forget(threadId, toolCallId);
      else this.#sent.remember(threadId, toolCallId, { seq, json: source.json, depth, texts });
    }
    return seq;
  }

  /** Stores the long texts of an entry ahead of it: each step runs in a transaction of its own. */
  *stage(threadId: string, update: Update | null, { texts }: LogSource): Generator<number | null, void> {
    if (this.#projector.states.get(threadId) === null) throw new Error(`there is no thread ${threadId}`);
    const before = update?.type === "tool_call" ? this.#sent.find(threadId, update.call.toolCallId) : undefined;
    for (const text of texts) yield* this.#blobs.putInSlices(threadId, "log", text, before?.texts.get(text.ref));
  }

  /** Removes what a staging that was stopped has stored of a text. */
  discardStaged(threadId: string, blobId: number): void {
    this.#blobs.discardUnfinished(threadId, "log", blobId);
  }

  /** Logs and projects an event of another register; throws when it does not follow the last one. */
  storeCopy(threadId: string, event: PortableEvent): void {
    this.#rebuild(threadId);
    const state = this.#projector.states.get(threadId);
    if (event.seq !== (state?.record.last_seq ?? 0) + 1)
      throw new RegisterError("conflict", `Event ${event.seq} of thread ${threadId} does not follow the last one.`);
    const entry = entryOfCopy(threadId, event);
    if (state !== null) this.store(entry);
    else if (entry.form === "event" && isFact(entry.value)) this.createThread(threadId, event.ts, entry.value);
  }

  /** Begins to replace a thread's log by one with the same `seq`s: everything of it goes, and `storeCopy` adds it again. Between `begin` and `commit`. */
  replace(threadId: string): ReplacedThread {
    return new ReplacedThread(this.#database, threadId, this.search);
  }

  /** Ends the window: its rows are stored, but not yet published. */
  endWindow(): void {
    this.#projector.endWindow();
    this.#projector.states.trim();
  }

  /** Forgets what it remembers of the log, which was changed beside it. */
  reset(): void {
    this.#changes.length = 0;
    this.#projector.reset();
    this.stale.reload();
    this.#sent.clear();
    this.#log.reset();
    this.#blobs.reset();
  }

  createThread(threadId: string, ts: number, fact: Fact): ThreadRow {
    const source = { json: JSON.stringify(fact), refs: [], texts: [] };
    const kind = `signalbox/${fact.type}`;
    const event: LoggedEvent = { threadId, seq: 1, ts, kind, value: { ...fact }, refs: [], size: source.json.length };
    const record = this.#projector.createThread(event);
    this.#log.append(event, source);
    return toThreadRow(record);
  }

  thread(threadId: string): ThreadRow | null {
    const state = this.#projector.states.get(threadId);
    return state === null ? null : toThreadRow(state.record);
  }

  forget(threadId: string): void {
    this.#projector.states.forget(threadId);
  }

  /** Closes what a process that died left open. In a thread that is stale, that happens when its rows are complete. */
  recover(): void {
    this.#unrecovered = new Set(this.stale.ids());
    this.#closeOpenThings();
  }

  /** All of these facts have one time, so that the last event with an earlier one is from before the end of the process. */
  #closeOpenThings(thread: string | null = null): void {
    const at = this.#now();
    for (const { threadId, fact } of factsAboutOpenThings(this.#database, thread))
      this.store(pendingFact(threadId, fact, at));
  }

  /** Gives its seq; null when its thread is gone. */
  storeFact(threadId: string, fact: Fact): number | null {
    return this.store(pendingFact(threadId, fact, this.#now()));
  }

  /** Makes every thread stale. */
  makeRowsStale(): void {
    // What was stale since the opening is still unrecovered; in the other threads agents may be running.
    this.#unrecovered = new Set([...this.#unrecovered].filter((threadId) => this.stale.has(threadId)));
    makeRowsStale(this.#database);
    this.reset();
  }

  /** Makes some of the rows of a stale thread; true when they are complete. */
  rebuildSome(threadId: string): boolean {
    this.#changes.push(...this.#projector.endWindow());
    if (!this.stale.replaySome(threadId)) return false;
    if (this.#unrecovered.has(threadId)) this.#closeOpenThings(threadId);
    const row = this.thread(threadId);
    if (row !== null) this.#changes.push({ type: "tinyvex.update", stream: "threads", row });
    return true;
  }

  /** Nothing can be added to rows that are not complete. */
  #rebuild(threadId: string): void {
    while (this.stale.has(threadId) && !this.rebuildSome(threadId));
  }

  #readEvent(entry: PendingEntry): Pick<PendingEvent, "source" | "value" | "update"> {
    switch (entry.form) {
      case "event":
        return entry;
      case "chunks":
        return chunksEvent(entry);
      case "output":
        return this.#outputEvent(entry);
    }
  }

  /** Stores the long texts of an event; one that goes on from what stood at its place before is stored by what is new. */
  #storeTexts(threadId: string, { texts }: LogSource, before: SentUpdate | undefined): ReadonlyMap<string, SealedBlob> {
    if (texts.length === 0) return noTexts;
    return new Map(
      texts.map((text) => [text.ref, this.#blobs.put(threadId, "log", text, before?.texts.get(text.ref))]),
    );
  }

  /** The output itself lies where the terminal has it; only late output, after the terminal's end, stays in the event. */
  #outputEvent({
    threadId,
    terminalId,
    text,
    count,
  }: PendingOutput): Pick<PendingEvent, "source" | "value" | "update"> {
    const stored = this.#projector.storeOutput(threadId, terminalId, text);
    const head = { type: "terminal_output", terminal_id: terminalId };
    const rest = count === 1 ? {} : { chunks: count };
    const reference = stored === null ? text : createReference(stored.blob, stored.size, stored.start);
    const json = JSON.stringify({ ...head, text: reference, ...rest });
    const source = { json, refs: stored === null ? [] : ["/text"], texts: [] };
    return { source, value: parseSource(source), update: null };
  }
}

export function pendingFact(threadId: string, fact: Fact, ts: number): PendingEntry {
  const queue = new EntryQueue();
  queue.add(threadId, { type: "fact", fact }, ts);
  const [pending] = queue.all();
  if (pending === undefined) throw new Error(`the fact ${fact.type} was not queued`);
  return pending;
}

const noTexts: ReadonlyMap<string, SealedBlob> = new Map();
