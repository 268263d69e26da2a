// Reads the register. Each call sees one consistent state of the file, on a connection that only reads.
import type { DatabaseSync } from "node:sqlite";
import type {
  LogPosition,
  PortableEvent,
  PortableItems,
  QueryArgs,
  QueryPage,
  RegisterQueryName,
  SizesRow,
  ThreadSnapshot,
  ThreadSummaryRow,
} from "@signalbox/protocol";
import { BlobReader } from "./blobs/blob-reader.ts";
import { toRegisterError } from "./database/sqlite-error.ts";
import { LogReader } from "./log/log-reader.ts";
import { readBlobRange } from "./queries/blob-query.ts";
import { type QueryTable, queryTable } from "./queries/queries.ts";
import { SentReader } from "./queries/sent-reader.ts";
import { SizesQuery } from "./queries/sizes-query.ts";
import { Snapshots } from "./queries/snapshots.ts";
import { ThreadsQuery } from "./queries/threads-query.ts";
import { type BlobRange, type LogEvent, RegisterError, type RegisterReader } from "./register.ts";
import { CompletedItems } from "./search/completed-items.ts";

export class SqliteReader implements RegisterReader {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #blobs: BlobReader;
  readonly #threads: ThreadsQuery;
  readonly #queries: QueryTable;
  readonly #sent: SentReader;
  readonly #snapshots: Snapshots;
  readonly #sizes: SizesQuery;
  readonly #log: LogReader;
  readonly #completed: CompletedItems;
  readonly #begin;
  readonly #end;

  constructor(database: DatabaseSync, path: string, now: () => number) {
    this.#database = database;
    this.#path = path;
    this.#blobs = new BlobReader(database);
    this.#threads = new ThreadsQuery(database);
    this.#queries = queryTable(database, this.#blobs, this.#threads, now);
    this.#sent = new SentReader(database, this.#blobs);
    this.#snapshots = new Snapshots(database, this.#blobs);
    this.#sizes = new SizesQuery(database);
    this.#log = new LogReader(database, this.#blobs);
    this.#completed = new CompletedItems(database, this.#blobs);
    this.#begin = database.prepare("BEGIN");
    this.#end = database.prepare("COMMIT");
  }

  async getThread(threadId: string): Promise<ThreadSummaryRow | null> {
    await this.completeRows(threadId);
    return this.#read(() => this.#threads.find(threadId));
  }

  async snapshot(threadId: string, options: { after_seq?: number; limit?: number } = {}): Promise<ThreadSnapshot> {
    await this.completeRows(threadId);
    return this.#read(() => this.#snapshots.read(this.#threads.get(threadId), options));
  }

  async query<Name extends RegisterQueryName>(name: Name, args: QueryArgs<Name>): Promise<QueryPage<Name>> {
    if ("thread_id" in args && typeof args.thread_id === "string") await this.completeRows(args.thread_id);
    return this.#read(() => this.#queries[name](args));
  }

  async readSent(threadId: string, afterSeq: number, limit: number): Promise<readonly LogEvent[]> {
    await this.completeRows(threadId);
    return this.#read(() => this.#sent.read(this.#threads.get(threadId).id, afterSeq, limit));
  }

  async readBlob(hash: string, range: { offset?: number; length?: number } = {}): Promise<BlobRange> {
    return this.#read(() => readBlobRange(this.#blobs, hash, range));
  }

  async logPositions(): Promise<readonly LogPosition[]> {
    return this.#read(() => this.#log.positions());
  }

  async readLog(
    threadId: string,
    seq: number,
    limits: { readonly max_events: number; readonly max_length: number },
  ): Promise<readonly PortableEvent[]> {
    return this.#read(() => this.#log.after(threadId, seq, limits.max_events, limits.max_length));
  }

  async readCompleted(threadId: string, after: number, upTo: number): Promise<PortableItems> {
    await this.completeRows(threadId);
    return this.#read(() => this.#completed.read(threadId, after, upTo));
  }

  async sizes(): Promise<SizesRow> {
    return this.#read(() => this.#sizes.get());
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }

  /** Makes rows of a thread that are missing; null when none are, or when this cannot write. */
  protected completeRows(_threadId: string): Promise<void> | null {
    return null;
  }

  #read<Result>(work: () => Result): Result {
    if (!this.#database.isOpen) throw new RegisterError("closed", "The register is closed.");
    try {
      this.#begin.run();
      return work();
    } catch (error) {
      throw toRegisterError(error, this.#path);
    } finally {
      if (this.#database.isTransaction) this.#end.run();
    }
  }
}
