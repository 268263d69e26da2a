// Implements the register on SQLite, with one connection for writing and one for reading.
import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type {
  Change,
  Fact,
  Json,
  PortableEvent,
  QueryArgs,
  QueryPage,
  RegisterQueryName,
  ThreadRow,
} from "@signalbox/protocol";
import { toRegisterError } from "./database/sqlite-error.ts";
import { Publisher } from "./publisher.ts";
import {
  type Entry,
  type LogEvent,
  type NewThread,
  type RebuildProgress,
  type Register,
  RegisterError,
  type StagedEntry,
  type ThreadUpdates,
} from "./register.ts";
import { SqliteReader } from "./sqlite-reader.ts";
import { Rebuilder } from "./writer/rebuilder.ts";
import { Writer } from "./writer/writer.ts";

interface Connections {
  readonly path: string;
  readonly writer: DatabaseSync;
  readonly reader: DatabaseSync;
  readonly now: () => number;
  /** Lets others open the file for writing. */
  readonly release: () => void;
}

export class SqliteRegister extends SqliteReader implements Register {
  readonly #connections: Connections;
  readonly #writer: Writer;
  readonly #changes = new Publisher<readonly Change[]>();
  readonly #troubles = new Publisher<RegisterError | null>();
  readonly #rebuilds = new Publisher<RebuildProgress | null>();
  readonly #rebuilder: Rebuilder;
  #isClosed = false;

  constructor(connections: Connections) {
    const { path, writer, reader, now } = connections;
    super(reader, path, now);
    this.#connections = connections;
    this.#writer = new Writer(writer, {
      path,
      now,
      publish: (changes) => this.#changes.publish(changes),
      trouble: (trouble) => this.#troubles.publish(trouble),
    });
    this.#rebuilder = new Rebuilder(this.#writer, {
      progress: (progress) => this.#rebuilds.publish(progress),
      trouble: (trouble) => this.#troubles.publish(trouble),
    });
  }

  /** Makes rows that are missing, a little at a time. */
  startRebuild(): void {
    this.#rebuilder.start();
  }

  /** Closes what a process that died left open, and finishes what it began to delete. */
  recover(): void {
    this.#writer.recover();
    setImmediate()
      .then(() => this.#removeDeleted())
      .catch((error: unknown) => this.#troubles.publish(toRegisterError(error, this.#connections.path)));
  }

  async createThread(thread: NewThread): Promise<ThreadRow> {
    const {
      agent_id,
      cwd,
      title = null,
      parent_thread_id = null,
      additional_directories = [],
      git,
      fork,
      sandbox_choice,
      starting = false,
      at,
    } = thread;
    const more = {
      ...(additional_directories.length === 0 ? {} : { additional_directories }),
      ...(git === undefined ? {} : { git }),
      ...(fork === undefined ? {} : { fork }),
      ...(sandbox_choice === undefined ? {} : { sandbox_choice }),
    };
    const fact = { type: "thread_created", agent_id, cwd, title, parent_thread_id, ...more } as const;
    return this.#writer.createThread(newId("t"), starting ? { ...fact, starting } : fact, at);
  }

  async updateThread(threadId: string, updates: ThreadUpdates): Promise<ThreadRow> {
    return this.#writer.appendFact(threadId, { type: "thread_updated", ...updates });
  }

  async deleteThread(threadId: string): Promise<void> {
    if (!this.#writer.deleteThread(threadId)) throw new RegisterError("not_found", `There is no thread ${threadId}.`);
    await this.#removeDeleted();
  }

  async addCopies(threadId: string, events: readonly PortableEvent[]): Promise<void> {
    this.#writer.addCopies(threadId, events);
  }

  stage(threadId: string, entry: StagedEntry): Promise<void> {
    return this.#writer.stage(threadId, entry);
  }

  stageText(threadId: string, text: string): Promise<Json> {
    return this.#writer.stageText(threadId, text);
  }

  append(threadId: string, entry: Entry): void {
    this.#writer.append(threadId, entry);
  }

  store(threadId: string, fact: Fact): Promise<void> {
    return this.#writer.store(threadId, fact);
  }

  settled(threadId: string): Promise<void> {
    return this.#writer.settled(threadId);
  }

  onChanges(listener: (changes: readonly Change[]) => void): () => void {
    return this.#changes.listen(listener);
  }

  followLog(threadId: string, listener: (events: readonly LogEvent[]) => void): () => void {
    return this.#writer.followLog(threadId, listener);
  }

  onTrouble(listener: (trouble: RegisterError | null) => void): () => void {
    return this.#troubles.listen(listener);
  }

  onRebuild(listener: (progress: RebuildProgress | null) => void): () => void {
    return this.#rebuilds.listen(listener);
  }

  protected override completeRows(threadId: string): Promise<void> | null {
    return this.#rebuilder.complete(threadId);
  }

  /** A search also finds what came just before it. */
  override query<Name extends RegisterQueryName>(name: Name, args: QueryArgs<Name>): Promise<QueryPage<Name>> {
    if (name === "search") this.#writer.indexPending(searchIndexingMs);
    return super.query(name, args);
  }

  async rebuild(onProgress: (progress: RebuildProgress) => void = () => {}): Promise<void> {
    await this.#removeDeleted();
    this.#rebuilder.begin();
    await this.#rebuilder.finish(onProgress);
  }

  rebuildStale(onProgress: (progress: RebuildProgress) => void = () => {}): Promise<void> {
    return this.#rebuilder.finish(onProgress);
  }

  async replaceLog(threadId: string, batches: AsyncIterable<readonly PortableEvent[]>): Promise<void> {
    await this.#removeDeleted();
    await this.#rebuilder.complete(threadId);
    await this.#writer.replaceLog(threadId, batches);
  }

  async vacuum(): Promise<void> {
    await this.#removeDeleted();
    await this.#writer.vacuum();
  }

  override async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#rebuilder.stop();
    const trouble = await this.#writer.close();
    await super.close();
    this.#connections.writer.close();
    this.#connections.release();
    if (trouble !== null) throw trouble;
  }

  /** A slice at a time: others get their turn in between. */
  async #removeDeleted(): Promise<void> {
    while (!this.#isClosed && !this.#writer.removeDeleted()) await setImmediate();
  }
}

/** How long a search may make findable what came just before it; a big text that came just now takes longer. */
const searchIndexingMs = 20;

/** 50 random bits, letters and digits only: safe in a path, a URL and a shell, and short, because every row has it. */
function newId(prefix: string): string {
  const bits = randomBytes(8).readBigUInt64BE() >> 14n;
  return `${prefix}${bits.toString(36).padStart(10, "0")}`;
}
