// Moves the write-ahead log into the database file from a thread of its own, because that waits for the disk and the host
// must not. The thread starts with the first megabytes; a small register never needs it.
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";

/** So much written since the last checkpoint starts the next. */
const CHECKPOINT_BYTES = 32 * 1024 * 1024;
/**
 * The log begins anew by itself when the writer pauses for a moment after a checkpoint. If it never pauses, it waits for
 * the disk here: most of the work is done by then, and the log may not grow without bound.
 */
const MOST_BYTES = 128 * 1024 * 1024;
/** What a commit writes beside its data, roughly: the pages of rows and indexes that it touches. */
const BYTES_PER_COMMIT = 64 * 1024;

/** Source text, so that it also runs when the package is bundled into one file. */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(workerData.path, { timeout: 0 });
const checkpoint = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
parentPort.on("message", () => {
  try {
    checkpoint.all();
    parentPort.postMessage(true);
  } catch {
    parentPort.postMessage(false);
  }
});
`;

export class Checkpointer {
  readonly #database: DatabaseSync;
  readonly #path: string;
  #thread: Worker | null = null;
  #isRunning = false;
  #isBroken = false;
  /** Bytes since the last checkpoint began, and since the log last surely began anew. */
  #written = 0;
  #total = 0;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
  }

  /** A commit of about `bytes` was made. */
  committed(bytes: number): void {
    this.#written += bytes + BYTES_PER_COMMIT;
    this.#total += bytes + BYTES_PER_COMMIT;
    if (this.#written < CHECKPOINT_BYTES) return;
    if (this.#isBroken || this.#total > MOST_BYTES) {
      this.#written = 0;
      this.#total = 0;
      this.#database.exec("PRAGMA wal_checkpoint(RESTART)");
    } else if (!this.#isRunning) {
      this.#written = 0;
      this.#isRunning = true;
      this.#start().postMessage(null, []);
    }
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #start(): Worker {
    if (this.#thread !== null) return this.#thread;
    const thread = new Worker(THREAD, { eval: true, workerData: { path: this.#path }, stdout: false });
    // The thread must not keep a process alive that has nothing else to do.
    thread.unref();
    thread.on("message", (isDone: boolean) => {
      this.#isRunning = false;
      if (isDone && this.#written === 0) this.#total = 0;
    });
    thread.on("error", () => {
      this.#isBroken = true;
      this.#isRunning = false;
    });
    this.#thread = thread;
    return thread;
  }
}
