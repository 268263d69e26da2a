// Keeps this machine connected to the shared database: connects, ships, and tries again after a while when that does not work. Problems are
// one line each, told once.
import { setTimeout as wait } from "node:timers/promises";
import { type Change, messageOf } from "@signalbox/protocol";
import { parseAddress, type SharedAddress } from "./address.ts";
import { connectTo, type SharedConnection } from "./connection.ts";
import type { LocalLog } from "./local-log.ts";
import { Positions } from "./positions.ts";
import { SharedError } from "./shared-error.ts";
import { Shipper } from "./shipper.ts";

const firstDelayMs = 500;
const maxDelayMs = 15_000;
/** What a person must change is looked at again now and then. */
const refusedDelayMs = 30_000;
/** How long stopping may take for what is left to ship. */
const finishMs = 1500;

interface SharingOptions {
  readonly url: string;
  /** The name of this machine. */
  readonly machine: string;
  readonly control: "off" | "signed";
  /** The version of this program. */
  readonly program: string;
  /** Remembers on this machine what has been shipped. */
  readonly positionsFile: string;
  readonly log: LocalLog;
  readonly isShared: (cwd: string) => boolean;
  readonly redact: ((text: string) => string) | undefined;
  /** Called with a line for the terminal when something is wrong, and when it works again. */
  readonly onProblem: (line: string) => void;
}

export class Sharing {
  readonly #options: SharingOptions;
  readonly #address: SharedAddress;
  readonly #positions: Positions;
  readonly #shipper: Shipper;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #problem: string | null = null;

  /** Throws a SharedError when the address is not one, or not a safe one. */
  constructor(options: SharingOptions) {
    this.#options = options;
    this.#address = parseAddress(options.url);
    this.#positions = new Positions(options.positionsFile, options.machine);
    this.#shipper = new Shipper({ ...options, positions: this.#positions });
    this.#done = this.#keepShipping(this.#stopping.signal);
  }

  /** Why nothing is shared now; null when all is well. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Takes what the register has committed; never waits. */
  noteChanges(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.stream !== "threads") this.#shipper.noteChange(change.thread_id);
      else if ("row" in change) this.#shipper.noteChange(change.row.id);
      else this.#shipper.noteDeletion(change.deleted);
    }
  }

  /** The log of the thread was rewritten (secrets were taken out): the shared one is removed, and all of it is shipped again. */
  resend(threadId: string): void {
    this.#shipper.resend(threadId);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
    this.#positions.close();
  }

  async #keepShipping(stopping: AbortSignal): Promise<void> {
    let delay = firstDelayMs;
    while (!stopping.aborted) {
      try {
        await this.#ship(stopping, () => {
          delay = firstDelayMs;
          this.#report(null);
        });
      } catch (error) {
        if (stopping.aborted) return;
        this.#report(messageOf(error));
        const isRefused = error instanceof SharedError && error.code === "refused";
        // Not all at the same moment when a database comes back.
        const pause = (isRefused ? refusedDelayMs : delay) * (0.75 + Math.random() / 2);
        delay = Math.min(maxDelayMs, delay * 2);
        await wait(pause, undefined, { signal: stopping }).catch(() => {});
      }
    }
  }

  async #ship(stopping: AbortSignal, onWorking: () => void): Promise<void> {
    const connection = await connectTo(this.#address, `signalbox ${this.#options.machine}`, stopping);
    const lost = new AbortController();
    connection.onLost((error) => lost.abort(error));
    try {
      await this.#shipper.run(connection, AbortSignal.any([stopping, lost.signal]), onWorking);
      if (stopping.aborted) await this.#finish(connection);
      else lost.signal.throwIfAborted();
    } finally {
      await connection.close();
    }
  }

  /** A database that is slow just now does not hold up the end of this process. */
  async #finish(connection: SharedConnection): Promise<void> {
    const timer = setTimeout(() => void connection.close(), finishMs);
    await this.#shipper.finish(connection).catch(() => {});
    clearTimeout(timer);
  }

  #report(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem(problem === null ? "shared: works again." : `shared: ${problem}`);
  }
}
