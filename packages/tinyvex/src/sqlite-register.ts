// The register on SQLite: one connection writes, another reads, both behind the async interface.
import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type { Change, Fact, JsonObject, ProjectRow, QueryName, ThreadRow, ThreadSnapshot } from "@signalbox/protocol";
import { toRegisterError } from "./database/sqlite-error.ts";
import { factsAboutOpenThings } from "./maintenance/recovery.ts";
import { Queries } from "./queries/queries.ts";
import { toProjectRow } from "./queries/rows.ts";
import {
  type BlobRange,
  type Entry,
  type NewThread,
  type QueryPage,
  type Register,
  RegisterError,
  type ThreadUpdates,
} from "./register.ts";
import { Writer } from "./writer/writer.ts";

export interface Connections {
  readonly path: string;
  readonly writer: DatabaseSync;
  readonly reader: DatabaseSync;
  readonly now: () => number;
  readonly release: () => void;
}

export class SqliteRegister implements Register {
  readonly #connections: Connections;
  readonly #writer: Writer;
  readonly #queries: Queries;
  readonly #changeListeners = new Set<(changes: readonly Change[]) => void>();
  readonly #troubleListeners = new Set<(trouble: RegisterError | null) => void>();

  constructor(connections: Connections) {
    const { path, writer, reader, now } = connections;
    this.#connections = connections;
    this.#writer = new Writer(writer, {
      path,
      now,
      publish: (changes) => this.#changeListeners.forEach((listener) => listener(changes)),
      trouble: (trouble) => this.#troubleListeners.forEach((listener) => listener(trouble)),
    });
    this.#queries = new Queries(reader);
  }

  /** Closes what a process that died left open. */
  recover(): void {
    for (const { threadId, fact } of factsAboutOpenThings(this.#connections.writer)) this.#writer.state(threadId, fact);
  }

  async createThread(thread: NewThread): Promise<ThreadRow> {
    return this.#writer.createThread(newId("t"), {
      type: "thread_created",
      agent_id: thread.agent_id,
      cwd: thread.cwd,
      title: thread.title ?? null,
      parent_thread_id: thread.parent_thread_id ?? null,
      project_id: thread.project_id ?? null,
    });
  }

  async getThread(threadId: string): Promise<ThreadRow | null> {
    return this.#read(() => this.#queries.thread(threadId));
  }

  async updateThread(threadId: string, updates: ThreadUpdates): Promise<ThreadRow> {
    const fact: Fact = { type: "thread_updated", ...updates };
    return this.#writer.state(threadId, fact);
  }

  async deleteThread(threadId: string): Promise<void> {
    if (!this.#writer.deleteThread(threadId)) throw new RegisterError("not_found", `There is no thread ${threadId}.`);
    await this.#removeDeleted();
  }

  append(threadId: string, entry: Entry): void {
    this.#writer.append(threadId, entry);
  }

  settled(threadId: string): Promise<void> {
    return this.#writer.settled(threadId);
  }

  onChanges(listener: (changes: readonly Change[]) => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  onTrouble(listener: (trouble: RegisterError | null) => void): () => void {
    this.#troubleListeners.add(listener);
    return () => this.#troubleListeners.delete(listener);
  }

  async snapshot(threadId: string, options: { after_seq?: number; limit?: number } = {}): Promise<ThreadSnapshot> {
    return this.#read(() => this.#queries.snapshot(threadId, options));
  }

  async query(name: QueryName, args: JsonObject): Promise<QueryPage> {
    return this.#read(() => this.#queries.run(name, args));
  }

  async readBlob(hash: string, range: { offset?: number; length?: number } = {}): Promise<BlobRange> {
    return this.#read(() => this.#queries.blob(hash, range));
  }

  async upsertProject(project: { id?: string; name: string; path: string }): Promise<ProjectRow> {
    const now = this.#connections.now();
    return this.#writer.direct((database) => {
      const row = database
        .prepare(
          `INSERT INTO projects(id, name, path, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT(path) DO UPDATE SET name = excluded.name, updated_at = excluded.updated_at
           ON CONFLICT(id) DO UPDATE SET name = excluded.name, path = excluded.path, updated_at = excluded.updated_at
           RETURNING *`,
        )
        .get(project.id ?? newId("p"), project.name, project.path, now, now);
      return toProjectRow(row ?? {});
    });
  }

  async rebuild(onProgress: (done: number, total: number) => void = () => {}): Promise<void> {
    await this.#writer.rebuild(onProgress);
  }

  async sizes(): Promise<{ readonly file: number; readonly threads: readonly { thread_id: string; bytes: number }[] }> {
    return this.#read(() => this.#queries.sizes());
  }

  async vacuum(): Promise<void> {
    await this.#removeDeleted();
    try {
      this.#connections.writer.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      throw toRegisterError(error, this.#connections.path);
    }
  }

  async close(): Promise<void> {
    const trouble = this.#writer.close();
    this.#connections.reader.close();
    this.#connections.writer.close();
    this.#connections.release();
    if (trouble !== null) throw trouble;
  }

  async #removeDeleted(): Promise<void> {
    while (!this.#writer.removeDeleted()) await setImmediate();
  }

  #read<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw toRegisterError(error, this.#connections.path);
    }
  }
}

/** 80 random bits, letters and digits only: safe in a path, a URL and a shell. */
function newId(prefix: string): string {
  return `${prefix}${BigInt(`0x${randomBytes(10).toString("hex")}`)
    .toString(36)
    .padStart(16, "0")}`;
}
