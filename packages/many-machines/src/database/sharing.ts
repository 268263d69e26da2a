// Keeps this machine connected to the shared database: connects, ships, and tries again after a while if that fails. Each problem is
// reported once, in one line.
import { setTimeout as wait } from "node:timers/promises";
import { type Change, messageOf } from "@signalbox/protocol";
import { parseAddress, type SharedAddress } from "./address.ts";
import { describeClockProblem, measureClockSkew } from "./clock.ts";
import { Commands } from "./commands.ts";
import { connect, type Limits, type SharedConnection } from "./connection.ts";
import type { LocalLog } from "./local-log.ts";
import { Positions } from "./positions.ts";
import { type RemoteListener, RemoteWatch } from "./remote-watch.ts";
import { SharedError } from "./shared-error.ts";
import { SharedReader } from "./shared-reader.ts";
import { Shipper, type ShippingFilter } from "./shipper.ts";
import { isLongEnough, minKeyLength } from "./signature.ts";

const firstDelayMs = 500;
const maxDelayMs = 15_000;
/** A problem that only a person can solve is checked less often. */
const refusedDelayMs = 30_000;
/** How long stopping may take for what is left to ship. */
const finishMs = 1500;

const missingKey = `control is "signed", but SIGNALBOX_SHARED_KEY is not set or shorter than ${minKeyLength} characters: commands are neither sent nor taken.`;

interface SharingOptions {
  readonly url: string;
  /** The name of this machine. */
  readonly machine: string;
  /** The version of this program. */
  readonly program: string;
  /** Remembers on this machine what has been shipped. */
  readonly positionsFile: string;
  readonly log: LocalLog;
  readonly filter: ShippingFilter;
  readonly commands: {
    readonly control: "off" | "signed";
    /** Signs and checks commands between machines; used only with `control: "signed"`. */
    readonly key: string | undefined;
  };
  readonly remote: Omit<RemoteListener, "onCommands">;
  /** Other values in tests. */
  readonly timing?: { readonly now?: () => number; readonly limits?: Limits };
  /** Called with a line for the terminal when something is wrong, and when it works again. */
  readonly onProblem: (line: string) => void;
}

export class Sharing {
  readonly #options: SharingOptions;
  readonly #address: SharedAddress;
  readonly #positions: Positions;
  readonly #shipper: Shipper;
  /** Reads the threads of other machines. */
  readonly reader: SharedReader;
  readonly commands: Commands;
  /** Whether commands are sent and taken. */
  readonly control: "off" | "signed";
  #isConnected = false;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #problem: string | null = null;
  #warning: string | null = null;

  /** Throws a SharedError when the address is not one, or not a safe one. */
  constructor(options: SharingOptions) {
    this.#options = options;
    this.#address = parseAddress(options.url);
    this.#positions = new Positions(options.positionsFile, options.machine);
    const { control, key: given } = options.commands;
    const key = control === "signed" && isLongEnough(given) ? given : undefined;
    this.control = key === undefined ? "off" : "signed";
    if (this.control !== control) options.onProblem(`shared: ${missingKey}`);
    this.#shipper = new Shipper({ ...options, control: this.control, positions: this.#positions });
    this.reader = new SharedReader(this.#address, options.machine);
    this.commands = new Commands({
      machine: options.machine,
      key,
      positions: this.#positions,
      query: (sql, values) => this.reader.query(sql, values),
    });
    this.#done = this.#keepShipping(this.#stopping.signal);
  }

  /** Whether the database was reached, and is still there as far as is known. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Names this data folder. */
  get owner(): string {
    return this.#positions.owner;
  }

  /** Why nothing is shared now, or what does not work between machines; null when all is well. */
  get problem(): string | null {
    return this.#problem ?? this.#warning ?? (this.control === this.#options.commands.control ? null : missingKey);
  }

  /** Notes what the register has committed; never waits. */
  noteChanges(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.stream !== "threads") this.#shipper.noteChange(change.thread_id);
      else if ("row" in change) this.#shipper.noteChange(change.row.id);
      else this.#shipper.noteDeletion(change.deleted);
    }
  }

  /** Does work that replaces the log of a thread (takes secrets out): the shared one is removed, and all of it is shipped again. */
  replaceLog(threadId: string, work: () => Promise<void>): Promise<void> {
    return this.#shipper.replaceLog(threadId, work);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
    await this.reader.close();
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
        // Machines must not all connect at the moment when a database comes back.
        const pause = (isRefused ? refusedDelayMs : delay) * (0.75 + Math.random() / 2);
        delay = Math.min(maxDelayMs, delay * 2);
        await wait(pause, undefined, { signal: stopping }).catch(() => {});
      }
    }
  }

  async #ship(stopping: AbortSignal, onWorking: () => void): Promise<void> {
    const { machine, timing } = this.#options;
    const connection = await connect(this.#address, `signalbox ${machine}`, stopping, timing?.limits);
    const lost = new AbortController();
    connection.onLost((error) => lost.abort(error));
    const watch = new RemoteWatch(this.#options.machine, {
      onChanges: (changes) => this.#options.remote.onChanges(changes),
      onPresence: (machines) => this.#options.remote.onPresence(machines),
      // Without the database no command can be read; the next round finds those that wait.
      onCommands: () => void this.commands.receive().catch(() => {}),
    });
    const onRound = async (isFirst: boolean) => {
      if (isFirst) this.#warn(describeClockProblem(await measureClockSkew(connection, timing?.now)));
      await (isFirst ? watch.begin(connection) : watch.readNews(connection));
      this.#isConnected = true;
    };
    try {
      await this.#shipper.run(connection, AbortSignal.any([stopping, lost.signal]), { onWorking, onRound });
      if (stopping.aborted) await this.#finish(connection);
      else lost.signal.throwIfAborted();
    } finally {
      this.#isConnected = false;
      await connection.close();
    }
  }

  /** Limited in time, so that a slow database does not delay the end of this process. */
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

  /** Reports a problem that does not stop sharing. */
  #warn(warning: string | null): void {
    if (warning !== null && warning !== this.#warning) this.#options.onProblem(`shared: ${warning}`);
    this.#warning = warning;
  }
}
