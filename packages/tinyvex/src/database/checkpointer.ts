// Moves the write-ahead log into the database file in a process of its own, because that waits for the disk and the host must
// not: when there was a pause, so that the log begins anew with what comes next, or when it has become long. A writer that never
// pauses keeps the log from beginning anew; so the host moves the little that came meanwhile itself, which takes milliseconds. A
// thread would keep 14 MB of the host's memory after its end.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { DatabaseSync } from "node:sqlite";

/** After a pause so much is worth a checkpoint; without one, so much more. */
const worthBytes = 4 * 1024 * 1024;
const longBytes = 32 * 1024 * 1024;
const pauseMs = 300;
/** With so much the host waits for the disk itself, whatever the other process does: the log may not grow without bound. */
const maxBytes = 128 * 1024 * 1024;
/** A rough size of the pages of rows and indexes that a commit writes beside its data. */
const bytesPerCommit = 64 * 1024;

/** Source text, so that it also runs when the package is bundled into one file. It ends without closing: that could be one more checkpoint. */
const script = `
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(process.argv[1], { timeout: 0 });
try {
  const checkpoint = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  checkpoint.all();
  // What came meanwhile: less is left for the host.
  checkpoint.all();
  process.exit(0);
} catch {
  // The disk is full or busy: the next checkpoint does it.
  process.exit(1);
}
`;

export class Checkpointer {
  readonly #database: DatabaseSync;
  readonly #path: string;
  #process: ChildProcess | null = null;
  #pause: NodeJS.Timeout | undefined;
  #isBroken = false;
  #isClosed = false;
  /** Bytes since the last checkpoint began, and since the log last surely began anew. */
  #written = 0;
  #total = 0;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
  }

  /** A commit of about `bytes` was made. Never throws: what was committed stays committed. */
  committed(bytes: number): void {
    this.#written += bytes + bytesPerCommit;
    this.#total += bytes + bytesPerCommit;
    if (this.#total > maxBytes || (this.#isBroken && this.#written > longBytes)) this.#checkpointHere();
    else if (this.#written > longBytes) this.#checkpoint();
    else if (this.#written > worthBytes) this.#waitForPause();
  }

  /** Resolves when there is room for more of a long text: who writes much waits here for the disk, and nothing else does. */
  async room(): Promise<void> {
    if (this.#total <= maxBytes / 2 || this.#written <= worthBytes) return;
    this.#checkpoint();
    const running = this.#process;
    if (running === null) return;
    // Somebody waits for it: a command that does nothing else must not end before it.
    running.ref();
    await once(running, "exit").catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#pause);
    const running = this.#process;
    if (running === null) return;
    // Rejects where it did not even start.
    const ended = once(running, "exit").catch(() => {});
    running.ref();
    running.kill("SIGKILL");
    await ended;
  }

  #waitForPause(): void {
    if (this.#pause !== undefined) {
      this.#pause.refresh();
      return;
    }
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#written > worthBytes) this.#checkpoint();
    }, pauseMs);
    this.#pause.unref();
  }

  #checkpoint(): void {
    if (this.#process !== null || this.#isBroken || this.#isClosed) return;
    this.#written = 0;
    try {
      this.#process = this.#start();
    } catch {
      this.#isBroken = true;
    }
  }

  #checkpointHere(): void {
    this.#written = 0;
    this.#total = 0;
    try {
      this.#database.exec("PRAGMA wal_checkpoint(RESTART)");
    } catch {
      // The disk is full or busy: the log grows on, and the next commit says so if it cannot.
    }
  }

  #start(): ChildProcess {
    const args = ["--no-warnings", "--eval", script, "--", this.#path];
    const checkpoint = spawn(process.execPath, args, { stdio: "ignore", env: {} });
    // It must not keep a process alive that has nothing else to do.
    checkpoint.unref();
    checkpoint.on("error", () => {
      this.#isBroken = true;
      this.#process = null;
    });
    checkpoint.on("exit", (code) => {
      this.#process = null;
      if (code !== 0 || this.#isClosed) return;
      if (this.#written === 0) this.#total = 0;
      // More than that is a flood, for which the host would wait too long: the next checkpoint does it.
      else if (this.#total > longBytes && this.#written < longBytes / 2) this.#checkpointHere();
    });
    return checkpoint;
  }
}
