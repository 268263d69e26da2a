// Ships the committed log to the shared database, in the background and in batches. It reads from the register what the database lacks, so
// a database that is unreachable, slow or full costs nothing here, and catches up later.
import { setTimeout as wait } from "node:timers/promises";
import type { LogPosition, PortableEvent, PortableItems, ThreadSummaryRow } from "@signalbox/protocol";
import type { SharedConnection } from "./connection.ts";
import { addToDigest, emptyDigest } from "./digest.ts";
import { readInteger } from "./fields.ts";
import type { LocalLog } from "./local-log.ts";
import type { Position, Positions } from "./positions.ts";
import { type Redact, redactEvent } from "./redact-event.ts";
import { explainNewerVersion, knownVersion, prepareSchema } from "./schema.ts";
import { explainTakenName, SharedError } from "./shared-error.ts";
import { type Addition, type SharedPosition, SharedThreads } from "./shared-threads.ts";
import { maxNamed, removeThreads } from "./thread-removal.ts";

/** One transaction takes about so many characters and threads: each holds up the event loop for a few milliseconds. */
const batchLength = 256 * 1024;
const batchThreads = 50;
/** At least so long between two transactions, because each notifies. */
const windowMs = 25;
/** How often the register is compared as a whole, and the machine reports that it is online. */
const roundMs = 5000;
const onlineSeconds = 20;

/** Decides which threads leave this machine, and what is taken out of them. */
export interface ShippingFilter {
  /** Whether a thread is shared, by its folder and its age. */
  readonly isShared: (thread: Pick<LogPosition, "cwd" | "updated_at">) => boolean;
  /** Without it, the log is shipped as it is. */
  readonly redact: Redact | undefined;
}

interface ShipperOptions {
  readonly log: LocalLog;
  readonly positions: Positions;
  readonly machine: string;
  readonly program: string;
  readonly control: string;
  readonly filter: ShippingFilter;
}

/** A thread of which the two sides know different positions. */
class Mismatch {
  readonly threadId: string;
  readonly shared: SharedPosition | null;

  constructor(threadId: string, shared: SharedPosition | null) {
    this.threadId = threadId;
    this.shared = shared;
  }
}

export class Shipper {
  readonly #options: ShipperOptions;
  readonly #form: string;
  /** Threads that may have something new. */
  readonly #changed = new Set<string>();
  /** Threads whose log is being replaced. Nothing of them is shipped until that is done. */
  readonly #replaced = new Set<string>();
  #isWoken = false;
  #wake: () => void = () => {};

  constructor(options: ShipperOptions) {
    this.#options = options;
    this.#form = options.filter.redact === undefined ? "whole" : "redacted";
  }

  /** Never waits. */
  noteChange(threadId: string): void {
    this.#changed.add(threadId);
    this.#wakeUp();
  }

  noteDeletion(threadId: string): void {
    this.#options.positions.remove(threadId);
    this.#changed.delete(threadId);
    this.#wakeUp();
  }

  /** Runs the work that replaces a thread's log. The shared log is removed and shipped again, even if this process ends in between. */
  async replaceLog(threadId: string, work: () => Promise<void>): Promise<void> {
    const { positions } = this.#options;
    this.#replaced.add(threadId);
    positions.markOutdated([threadId]);
    try {
      await work();
    } finally {
      this.#replaced.delete(threadId);
      this.noteChange(threadId);
    }
  }

  /** Ships over this connection until `signal` is aborted. Throws a SharedError when it cannot go on. */
  async run(
    connection: SharedConnection,
    signal: AbortSignal,
    { onWorking, onRound }: { onWorking: () => void; onRound: (isFirst: boolean) => Promise<void> },
  ): Promise<void> {
    const shared = new SharedThreads(connection, this.#options.machine);
    await prepareSchema(connection);
    await this.#claimName(connection);
    await onRound(true);
    await this.#compare(shared);
    let nextRound = performance.now() + roundMs;
    while (!signal.aborted) {
      const started = performance.now();
      this.#isWoken = false;
      const didShip = await this.#shipSome(connection, shared);
      onWorking();
      if (performance.now() >= nextRound) {
        await this.#claimName(connection);
        await this.#noteAllChanges();
        await onRound(false);
        nextRound = performance.now() + roundMs;
      }
      if (didShip) await wait(Math.max(0, started + windowMs - performance.now()));
      else await this.#waitUntilWoken(nextRound - performance.now(), signal);
    }
  }

  /** Ships what is left, and reports that this machine is offline. */
  async finish(connection: SharedConnection): Promise<void> {
    const shared = new SharedThreads(connection, this.#options.machine);
    await this.#noteAllChanges();
    while (await this.#shipSome(connection, shared));
    await connection.query("UPDATE signalbox.machines SET online_until = now() WHERE machine = $1", [
      this.#options.machine,
    ]);
  }

  #wakeUp(): void {
    this.#isWoken = true;
    this.#wake();
  }

  async #waitUntilWoken(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || this.#isWoken || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener("abort", () => resolve(), { once: true });
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }

  /** A name belongs to one data folder. Also reports that this machine is online. */
  async #claimName(connection: SharedConnection): Promise<void> {
    const { machine, program, control, positions } = this.#options;
    const online = `now() + interval '${onlineSeconds} seconds'`;
    const values = [machine, positions.owner, program, control];
    await connection.query(
      `INSERT INTO signalbox.machines(machine, owner, program, control, online_until) VALUES ($1, $2, $3, $4, ${online})
       ON CONFLICT DO NOTHING`,
      values,
    );
    const updated = await connection.query(
      `UPDATE signalbox.machines SET program = $3, control = $4, online_until = ${online} WHERE machine = $1 AND owner = $2
       RETURNING (SELECT max(version) FROM signalbox.schema_version) AS version`,
      values,
    );
    if (updated.length === 0) throw new SharedError("refused", explainTakenName(machine));
    // A newer host may have updated the tables since, and this one would write them wrongly.
    const version = readInteger(updated[0], "version");
    if (version > knownVersion) throw explainNewerVersion(version);
  }

  /** Compares all threads of the three sides before anything is shipped or removed: a register that was restored from a backup does neither. */
  async #compare(shared: SharedThreads): Promise<void> {
    const { log, positions } = this.#options;
    const local = new Map((await log.listPositions()).map((position) => [position.thread_id, position]));
    const there = await shared.readLastSeqs();
    const known = new Set(positions.listThreads());
    const removals = new Set(positions.listRemovals());
    for (const [threadId, seq] of there) {
      const here = local.get(threadId)?.last_seq;
      const isExpected = removals.has(threadId) || (here === undefined ? known.has(threadId) : here >= seq);
      if (!isExpected) throw explainRestoredRegister(threadId, here ?? 0, seq);
    }
    for (const threadId of known) {
      const here = local.get(threadId)?.last_seq;
      const seq = positions.find(threadId)?.seq ?? 0;
      if (here !== undefined && here < seq) throw explainRestoredRegister(threadId, here, seq);
    }
    for (const threadId of known) {
      const found = local.get(threadId);
      if (found === undefined) positions.remove(threadId);
    }
    for (const { thread_id: threadId } of local.values()) {
      const position = positions.find(threadId);
      if (position !== null && position.seq !== there.get(threadId)) this.#changed.add(threadId);
    }
    await this.#noteAllChanges();
  }

  async #noteAllChanges(): Promise<void> {
    const { log, positions, filter } = this.#options;
    for (const local of await log.listPositions()) {
      const { thread_id: threadId, last_seq: seq } = local;
      const position = positions.find(threadId);
      if (!filter.isShared(local)) {
        // It has become too old, or its folder is no longer shared.
        if (position !== null) positions.remove(threadId);
        continue;
      }
      if (position === null || position.seq !== seq || position.form !== this.#form) this.#changed.add(threadId);
    }
  }

  /** Ships about one transaction. Returns false if there was nothing to ship. */
  async #shipSome(connection: SharedConnection, shared: SharedThreads): Promise<boolean> {
    const { positions, machine } = this.#options;
    const removals = positions.listRemovals().slice(0, maxNamed);
    await removeThreads(connection, machine, removals);
    for (const threadId of removals) positions.finishRemoval(threadId);
    if (removals.length === maxNamed) return true;
    const additions = await this.#readAdditions();
    for (const { thread, generation, events } of additions) {
      // The earlier generation is removed as a whole first, so that the text that was taken out of the log is gone before anything else is sent.
      if (generation > 1 && events[0]?.seq === 1 && (await this.#isOlder(shared, thread.id, generation)))
        await removeThreads(connection, machine, [thread.id]);
      const blobs = events.flatMap((event) => event.blobs);
      await shared.putBlobs(thread.id, blobs, this.#options.log.readBlob);
    }
    if (additions.length === 0) return false;
    const mismatches = await connection.transaction(() => this.#add(shared, additions));
    for (const mismatch of mismatches) await this.#settle(mismatch);
    if (mismatches.length > 0) for (const { thread } of additions) this.#changed.add(thread.id);
    else this.#remember(additions);
    return true;
  }

  #remember(additions: readonly Addition[]): void {
    const { positions } = this.#options;
    const removals = new Set(positions.listRemovals());
    for (const { thread, generation, digest, events } of additions) {
      // The thread was deleted in the meantime, so what was just added is removed next.
      if (removals.has(thread.id) || positions.isOutdated(thread.id)) continue;
      positions.save(thread.id, { generation, digest, seq: events.at(-1)?.seq ?? 0, form: this.#form });
    }
  }

  /** Also true if the row is gone, because a removal may have been interrupted after that. */
  async #isOlder(shared: SharedThreads, threadId: string, generation: number): Promise<boolean> {
    const found = (await shared.lock([threadId])).get(threadId);
    return found === undefined || found.generation < generation;
  }

  /** Reads the next events of the threads that changed. A thread without new events leaves the list. */
  async #readAdditions(): Promise<readonly Addition[]> {
    const { log, filter } = this.#options;
    const additions: Addition[] = [];
    let left = batchLength;
    const waiting = [...this.#changed].filter((threadId) => !this.#replaced.has(threadId));
    for (const threadId of waiting.slice(0, batchThreads)) {
      if (left <= 0) break;
      this.#changed.delete(threadId);
      const thread = await log.getThread(threadId);
      if (thread === null || !filter.isShared(thread)) continue;
      const position = this.#openPosition(threadId);
      const events = await this.#read(threadId, position.seq, left);
      const last = events.at(-1);
      if (last === undefined) continue;
      if (last.seq < thread.last_seq) this.#changed.add(threadId);
      left -= events.reduce((sum, { payload }) => sum + payload.length, 0);
      const digest = addToDigest(position.digest, events);
      const completed = this.#redactItems(await log.readCompleted(threadId, position.seq, last.seq));
      const { generation } = position;
      additions.push({ thread: this.#redactRow(thread), generation, digest, events, completed });
    }
    return additions;
  }

  /** Saves the position before the first event is sent, so that it is known even if this process ends before the database answers. */
  #openPosition(threadId: string): Position {
    const { positions } = this.#options;
    const known = positions.find(threadId);
    const position = known ?? { generation: 1, seq: 0, digest: emptyDigest, form: this.#form };
    const current = position.form === this.#form ? position : this.#beginGeneration(position);
    if (current !== known) positions.save(threadId, current);
    return current;
  }

  #beginGeneration({ generation }: Position): Position {
    return { generation: generation + 1, seq: 0, digest: emptyDigest, form: this.#form };
  }

  async #read(threadId: string, seq: number, maxLength: number): Promise<readonly PortableEvent[]> {
    const { log, filter } = this.#options;
    const { redact } = filter;
    const events = await log.read(threadId, seq, maxLength);
    if (redact === undefined) return events;
    return await Promise.all(events.map((event) => redactEvent(event, redact, log.readBlob)));
  }

  #redactItems(completed: PortableItems): PortableItems {
    const { redact } = this.#options.filter;
    if (redact === undefined) return completed;
    return {
      ...completed,
      items: completed.items.map((item) => ({ ...item, title: redact(item.title), body: redact(item.body) })),
      tool_calls: completed.tool_calls.map((call) => ({ ...call, paths: call.paths.map((path) => redact(path)) })),
    };
  }

  #redactRow(thread: ThreadSummaryRow): ThreadSummaryRow {
    const { redact } = this.#options.filter;
    return redact === undefined || thread.title === null ? thread : { ...thread, title: redact(thread.title) };
  }

  /** Adds to all threads, or to none if the database has another position of one of them. */
  async #add(shared: SharedThreads, additions: readonly Addition[]): Promise<readonly Mismatch[]> {
    const there = await shared.lock(additions.map(({ thread }) => thread.id));
    const mismatches: Mismatch[] = [];
    for (const { thread } of additions) {
      const found = there.get(thread.id) ?? null;
      const position = this.#openPosition(thread.id);
      const fits = found === null ? position.seq === 0 : isSame(found, position);
      if (!fits) mismatches.push(new Mismatch(thread.id, found));
    }
    if (mismatches.length === 0) await shared.add(additions);
    return mismatches;
  }

  /** Continues from where the shared database is, if it has a beginning of the log of this machine. */
  async #settle({ threadId, shared }: Mismatch): Promise<void> {
    const { positions } = this.#options;
    const position = this.#openPosition(threadId);
    this.#changed.add(threadId);
    // A database that was emptied, or another one.
    if (shared === null) return positions.save(threadId, { ...position, seq: 0, digest: emptyDigest });
    const isNewer = shared.generation > position.generation;
    const start = shared.seq >= position.seq ? position : { seq: 0, digest: emptyDigest };
    const reached = isNewer ? null : await this.#computeDigest(threadId, start, shared.seq);
    if (reached === null || !reached.equals(shared.digest))
      throw explainRestoredRegister(threadId, position.seq, shared.seq);
    positions.save(threadId, { ...position, seq: shared.seq, digest: shared.digest });
  }

  /** Returns the digest of the log of this machine at `seq`; null if the log is shorter. */
  async #computeDigest(
    threadId: string,
    start: { readonly seq: number; readonly digest: Buffer },
    seq: number,
  ): Promise<Buffer | null> {
    let { seq: at, digest } = start;
    while (at < seq) {
      const events = (await this.#read(threadId, at, batchLength)).filter((event) => event.seq <= seq);
      if (events.length === 0) return null;
      digest = addToDigest(digest, events);
      at = events.at(-1)?.seq ?? seq;
    }
    return digest;
  }
}

function isSame(shared: SharedPosition, { generation, seq, digest }: Position): boolean {
  return shared.generation === generation && shared.seq === seq && shared.digest.equals(digest);
}

function explainRestoredRegister(threadId: string, here: number, there: number): SharedError {
  return new SharedError(
    "refused",
    `this machine's register is not the one that was shared (thread ${threadId}: ${here} events here, ${there} there), as after a restore from a backup. Set shared.machine in config.json to a new name: what was shared stays readable under the old one.`,
  );
}
