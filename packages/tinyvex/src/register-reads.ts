// The reading half of the register: every question is answered from one consistent state of the file.
import type { DatabaseSync } from "node:sqlite";
import type { JsonObject, QueryName, ThreadRow, ThreadSnapshot } from "@signalbox/protocol";
import { toRegisterError } from "./database/sqlite-error.ts";
import { Queries } from "./queries/queries.ts";
import { type BlobRange, type QueryPage, type Register, RegisterError } from "./register.ts";

export class RegisterReads implements Pick<Register, "getThread" | "snapshot" | "query" | "readBlob" | "sizes"> {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #queries: Queries;
  readonly #begin;
  readonly #end;

  constructor(database: DatabaseSync, path: string, now: () => number) {
    this.#database = database;
    this.#path = path;
    this.#queries = new Queries(database, now);
    this.#begin = database.prepare("BEGIN");
    this.#end = database.prepare("COMMIT");
  }

  async getThread(threadId: string): Promise<ThreadRow | null> {
    return this.#read(() => this.#queries.thread(threadId));
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

  async sizes(): Promise<{ readonly file: number; readonly threads: readonly { thread_id: string; bytes: number }[] }> {
    return this.#read(() => this.#queries.sizes());
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
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
