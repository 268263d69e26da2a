// Records the processes that the host started, with their start times, in a file of the data folder. If the host dies without stopping
// them, the next one ends those that are left, and no others.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { guard } from "@signalbox/base";
import { processesWithMark } from "@signalbox/sandbox";
import { openProcessTable, type ProcessTable, type RunningProcess } from "./process-table.ts";

interface LedgerEntry {
  /** The supervisor of a process tree, or the leader of a process group. */
  readonly pid: number;
  readonly start: number;
  /** When it was last seen running. */
  readonly seen: number;
  /** A mark in the environment of its descendants, by which those are found that left its group. */
  readonly mark?: string;
}

interface LedgerFile {
  readonly boot: string;
  readonly entries: readonly LedgerEntry[];
}

/** How often the file is updated, and how long ending leftovers may take. */
const seenEveryMilliseconds = 10_000;
const reapMilliseconds = 2000;

export class PidLedger {
  readonly #file: string;
  readonly #table: ProcessTable;
  readonly #entries = new Map<number, LedgerEntry>();
  #timer: NodeJS.Timeout | null = null;

  constructor(dataFolder: string, table: ProcessTable = openProcessTable()) {
    this.#file = makeLedgerPath(dataFolder);
    this.#table = table;
  }

  /** Records a process that we just started: a supervisor, or the leader of a group. */
  add(pid: number, mark?: string): void {
    const [running] = this.#table.find([pid]);
    if (running === undefined) return;
    this.#entries.set(pid, { pid, start: running.start, seen: this.#table.now(), ...(mark !== undefined && { mark }) });
    // A process table that cannot be read now is read the next time.
    const updateSeen = guard(
      () => {},
      () => this.#updateSeen(),
    );
    this.#timer ??= setInterval(updateSeen, seenEveryMilliseconds).unref();
    this.#write();
  }

  /** The process and everything it started is gone. */
  remove(pid: number): void {
    if (!this.#entries.delete(pid)) return;
    this.#write();
    if (this.#entries.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #updateSeen(): void {
    // Read before the processes, so that no younger process counts as seen.
    const now = this.#table.now();
    for (const { pid, start } of this.#table.find([...this.#entries.keys()])) {
      const entry = this.#entries.get(pid);
      if (entry?.start === start) this.#entries.set(pid, { ...entry, seen: now });
    }
    this.#write();
  }

  #write(): void {
    try {
      if (this.#entries.size === 0) return rmSync(this.#file, { force: true });
      const ledger: LedgerFile = { boot: this.#table.boot, entries: [...this.#entries.values()] };
      const unfinished = `${this.#file}.${process.pid}`;
      writeFileSync(unfinished, JSON.stringify(ledger), { mode: 0o600 });
      renameSync(unfinished, this.#file);
    } catch {
      // A full disk must not stop an agent; its supervisor ends it together with the host.
    }
  }
}

/**
 * Ends what a dead host left running, and gives its pids. Only the host that holds the data folder's lock may call it, before it
 * starts anything.
 */
export async function reapLeftovers(
  dataFolder: string,
  table: ProcessTable = openProcessTable(),
): Promise<readonly number[]> {
  const file = makeLedgerPath(dataFolder);
  const ledger = readLedger(file);
  if (ledger === null) return [];
  const ended = ledger.boot === table.boot ? await endAll(ledger, table) : [];
  rmSync(file, { force: true });
  return ended;
}

async function endAll(ledger: LedgerFile, table: ProcessTable): Promise<readonly number[]> {
  const ended = new Set<number>();
  const deadline = Date.now() + reapMilliseconds;
  for (;;) {
    // Repeated until none is left: a process may start another before it is killed.
    const { left, unsure } = findLeftovers(ledger, table.all());
    if ((left.length === 0 && !unsure) || Date.now() > deadline) return [...ended];
    for (const { pid, start } of left) {
      // Checked again right before: the pid may belong to another process by now.
      if (table.find([pid])[0]?.start !== start) continue;
      ended.add(pid);
      kill(pid);
    }
    await pause(10);
  }
}

/**
 * The processes that certainly belong to the dead host: those with a recorded pid and start time, their groups and descendants; where
 * such a process is gone, those of its group that ran when it was last seen; and all that have its mark.
 */
function findLeftovers(
  { entries }: LedgerFile,
  running: readonly RunningProcess[],
): { readonly left: readonly RunningProcess[]; readonly unsure: boolean } {
  const byPid = new Map(running.map((each) => [each.pid, each]));
  const leftovers = new Map<number, RunningProcess>();
  for (const { pid, start, seen } of entries) {
    const first = byPid.get(pid);
    // Another process has this pid now, so its group is another one too.
    if (first !== undefined && first.start !== start) continue;
    const youngest = first === undefined ? seen : Number.POSITIVE_INFINITY;
    for (const each of running) {
      if (each.group === pid && each.start >= start && each.start <= youngest) leftovers.set(each.pid, each);
    }
    if (first !== undefined) leftovers.set(pid, first);
  }
  const { pids, unsure } = processesWithMark(entries.flatMap(({ mark }) => mark ?? []));
  for (const pid of pids) {
    const marked = byPid.get(pid);
    if (marked !== undefined) leftovers.set(pid, marked);
  }
  for (let size = -1; size !== leftovers.size; ) {
    size = leftovers.size;
    for (const each of running) if (leftovers.has(each.parent)) leftovers.set(each.pid, each);
  }
  // The new host may have been started by a process that the old one left.
  leftovers.delete(process.pid);
  return { left: [...leftovers.values()], unsure };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}

function makeLedgerPath(dataFolder: string): string {
  return join(dataFolder, "run", "processes.json");
}

function readLedger(file: string): LedgerFile | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isLedger(value) ? value : null;
  } catch {
    return null;
  }
}

function isLedger(value: unknown): value is LedgerFile {
  if (typeof value !== "object" || value === null) return false;
  if (!("boot" in value) || !("entries" in value)) return false;
  return typeof value.boot === "string" && Array.isArray(value.entries) && value.entries.every(isEntry);
}

function isEntry(value: unknown): value is LedgerEntry {
  if (typeof value !== "object" || value === null) return false;
  if (!("pid" in value) || !("start" in value) || !("seen" in value)) return false;
  // 0 and 1 stand for groups and for the first process: never ours.
  if (!Number.isSafeInteger(value.pid) || Number(value.pid) <= 1) return false;
  // A mark that others could carry by chance is none of ours.
  if ("mark" in value && !(typeof value.mark === "string" && /^[0-9a-f-]{36}$/.test(value.mark))) return false;
  return typeof value.start === "number" && typeof value.seen === "number";
}
