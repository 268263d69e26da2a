// The register of another process, to look at: it answers, and refuses to write.
import type { JsonObject, QueryName } from "@signalbox/protocol";
import { type Register, RegisterError } from "./register.ts";
import type { RegisterReads } from "./register-reads.ts";

export class ReadOnlyRegister implements Register {
  readonly #reads: RegisterReads;

  constructor(reads: RegisterReads) {
    this.#reads = reads;
  }

  getThread(threadId: string) {
    return this.#reads.getThread(threadId);
  }

  snapshot(threadId: string, options?: { after_seq?: number; limit?: number }) {
    return this.#reads.snapshot(threadId, options);
  }

  query(name: QueryName, args: JsonObject) {
    return this.#reads.query(name, args);
  }

  readBlob(hash: string, range?: { offset?: number; length?: number }) {
    return this.#reads.readBlob(hash, range);
  }

  sizes() {
    return this.#reads.sizes();
  }

  async close(): Promise<void> {
    this.#reads.close();
  }

  /** Nothing is ever stored here, so nothing changes and nothing fails. */
  onChanges(): () => void {
    return () => {};
  }

  onTrouble(): () => void {
    return () => {};
  }

  append(): void {
    throw readOnly();
  }

  async settled(): Promise<void> {}

  createThread(): Promise<never> {
    return Promise.reject(readOnly());
  }

  updateThread(): Promise<never> {
    return Promise.reject(readOnly());
  }

  deleteThread(): Promise<never> {
    return Promise.reject(readOnly());
  }

  upsertProject(): Promise<never> {
    return Promise.reject(readOnly());
  }

  rebuild(): Promise<never> {
    return Promise.reject(readOnly());
  }

  vacuum(): Promise<never> {
    return Promise.reject(readOnly());
  }
}

function readOnly(): RegisterError {
  return new RegisterError("read_only", "This register is open for reading only. Open it without readOnly to write.");
}
