// The register on SQLite: one connection writes, another reads, both behind the async interface.
import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type { Change, JsonObject, ProjectRow, QueryName, ThreadRow } from "@signalbox/protocol";
import { factsAboutOpenThings } from "./maintenance/recovery.ts";
import { Publisher } from "./publisher.ts";
import { toProjectRow } from "./queries/rows.ts";
import { type Entry, type NewThread, type Register, RegisterError, type ThreadUpdates } from "./register.ts";
import type { RegisterReads } from "./register-reads.ts";
import { Writer } from "./writer/writer.ts";

export interface Connections {
  readonly path: string;
  readonly writer: DatabaseSync;
  readonly reads: RegisterReads;
  readonly now: () => number;
  /** Lets others open the file for writing. */
  readonly release: () => void;
}

export class SqliteRegister implements Register {
  readonly #connections: Connections;
  readonly #reads: RegisterReads;
  readonly #writer: Writer;
  readonly #changes = new Publisher<readonly Change[]>();
  readonly #troubles = new Publisher<RegisterError | null>();
  #isClosed = false;

  constructor(connections: Connections) {
    const { path, writer, reads, now } = connections;
    this.#connections = connections;
    this.#reads = reads;
    this.#writer = new Writer(writer, {
      path,
      now,
      publish: (changes) => this.#changes.publish(changes),
      trouble: (trouble) => this.#troubles.publish(trouble),
    });
  }

  /** Closes what a process that died left open, and finishes what it began to delete. */
  recover(): void {
    for (const { threadId, fact } of factsAboutOpenThings(this.#connections.writer)) this.#writer.state(threadId, fact);
    // A failure here shows again when something is written.
    this.#removeDeleted().catch(() => {});
  }

  async createThread(thread: NewThread): Promise<ThreadRow> {
    const projectId = thread.project_id ?? null;
    this.#checkProject(projectId);
    return this.#writer.createThread(newId("t"), {
      type: "thread_created",
      agent_id: thread.agent_id,
      cwd: thread.cwd,
      title: thread.title ?? null,
      parent_thread_id: thread.parent_thread_id ?? null,
      project_id: projectId,
    });
  }

  async updateThread(threadId: string, updates: ThreadUpdates): Promise<ThreadRow> {
    this.#checkProject(updates.project_id ?? null);
    return this.#writer.state(threadId, { type: "thread_updated", ...updates });
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
    return this.#changes.listen(listener);
  }

  onTrouble(listener: (trouble: RegisterError | null) => void): () => void {
    return this.#troubles.listen(listener);
  }

  getThread(threadId: string) {
    return this.#reads.getThread(threadId);
  }

  snapshot(threadId: string, options?: { after_seq?: number; limit?: number }) {
    return this.#reads.snapshot(threadId, options);
  }

  async query(name: QueryName, args: JsonObject) {
    if (name === "search") this.#writer.indexFor(SEARCH_INDEXING_MS);
    return this.#reads.query(name, args);
  }

  readBlob(hash: string, range?: { offset?: number; length?: number }) {
    return this.#reads.readBlob(hash, range);
  }

  sizes() {
    return this.#reads.sizes();
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
    await this.#removeDeleted();
    await this.#writer.rebuild(onProgress);
  }

  async vacuum(): Promise<void> {
    await this.#removeDeleted();
    this.#writer.vacuum();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const trouble = await this.#writer.close();
    this.#reads.close();
    this.#connections.writer.close();
    this.#connections.release();
    if (trouble !== null) throw trouble;
  }

  /** A slice at a time: others get their turn in between. */
  async #removeDeleted(): Promise<void> {
    while (!this.#isClosed && !this.#writer.removeDeleted()) await setImmediate();
  }

  #checkProject(projectId: string | null): void {
    if (projectId === null) return;
    const known = this.#connections.writer.prepare("SELECT 1 FROM projects WHERE id = ?").get(projectId);
    if (known === undefined) throw new RegisterError("not_found", `There is no project ${projectId}.`);
  }
}

/** How long a search may make findable what came just before it; a big text that came just now takes longer. */
const SEARCH_INDEXING_MS = 20;

/** 50 random bits, letters and digits only: safe in a path, a URL and a shell, and short, because every row has it. */
function newId(prefix: string): string {
  const bits = randomBytes(8).readBigUInt64BE() >> 14n;
  return `${prefix}${bits.toString(36).padStart(10, "0")}`;
}
