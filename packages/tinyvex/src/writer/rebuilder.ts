// Rebuilds stale threads in the background: first those that are asked for, then those that were active last. Between two batches everything
// else has its turn.
import { setImmediate, setTimeout } from "node:timers/promises";
import { toRegisterError } from "../database/sqlite-error.ts";
import { type RebuildProgress, RegisterError } from "../register.ts";
import type { Writer } from "./writer.ts";

/** How long the background work pauses when the register cannot be written. */
const retryMs = 1000;

/** Where the background work reports to. */
interface RebuildReport {
  /** How far it is; null at its end. */
  readonly progress: (progress: RebuildProgress | null) => void;
  readonly trouble: (trouble: RegisterError) => void;
}

export class Rebuilder {
  readonly #writer: Writer;
  readonly #report: RebuildReport;
  /** The events of this rebuild, those that are done included. */
  #total = 0;
  #isStopped = false;

  constructor(writer: Writer, report: RebuildReport) {
    this.#writer = writer;
    this.#report = report;
    this.#total = writer.stale.eventsLeft;
  }

  /** Makes every thread stale. */
  begin(): void {
    this.#writer.makeRowsStale();
    this.#total = this.#writer.stale.eventsLeft;
  }

  /** Works until nothing is stale. */
  start(): void {
    if (this.#writer.stale.eventsLeft > 0) void this.#rebuild();
  }

  /** Resolves when nothing is stale and everything can be found. Rejects when that cannot be reached. */
  async finish(onProgress: (progress: RebuildProgress) => void): Promise<void> {
    const { stale } = this.#writer;
    const failures = new Map<string, unknown>();
    for (let threadId = stale.first(failures); threadId !== null; threadId = stale.first(failures)) {
      if (this.#isStopped) return;
      try {
        await this.#next(threadId);
      } catch (error) {
        // Our code cannot project one of its events. That holds up no other thread.
        if (!(error instanceof RegisterError) || error.code !== "internal") throw error;
        failures.set(threadId, error);
      }
      onProgress({ done: this.#total - stale.eventsLeft, total: this.#total });
      if (!stale.has(threadId)) await this.#index();
    }
    await this.#index();
    for (const error of failures.values()) throw error;
  }

  /** Makes the rows of one thread; null when they are complete already. */
  complete(threadId: string): Promise<void> | null {
    return this.#writer.stale.has(threadId) ? this.#complete(threadId) : null;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #complete(threadId: string): Promise<void> {
    while (this.#writer.stale.has(threadId) && !this.#isStopped) await this.#next(threadId);
  }

  async #next(threadId: string): Promise<void> {
    try {
      this.#writer.rebuildSome(threadId);
    } catch (error) {
      if (!(error instanceof RegisterError) || error.code !== "busy") throw error;
      // A thread is being rewritten, which ends soon.
      await setTimeout(10);
    }
    await setImmediate();
    await this.#writer.room();
  }

  async #index(): Promise<void> {
    while (!this.#isStopped && this.#writer.indexSome()) await setImmediate();
  }

  async #rebuild(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.finish((progress) => this.#report.progress(progress));
        return this.#report.progress(null);
      } catch (error) {
        const trouble = toRegisterError(error, this.#writer.path);
        this.#report.trouble(trouble);
        if (trouble.code === "internal" || trouble.code === "damaged") return this.#report.progress(null);
        await setTimeout(retryMs, undefined, { ref: false });
      }
    }
  }
}
