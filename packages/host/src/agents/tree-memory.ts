// Measures the memory of processes together with everything they started.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

/** Bytes for each pid that runs. Empty where the machine has no `ps`, as in small containers, and does not list children itself, as Linux does. */
export async function measureTrees(pids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (pids.length === 0) return new Map();
  return process.platform === "linux" && listsChildren() ? sumProc(pids) : await sumPs(pids);
}

/** A kernel may be built without. */
function listsChildren(): boolean {
  return readText(`/proc/self/task/${process.pid}/children`) !== null;
}

/** Looks only at the trees: `ps` would look at every process of the machine, and be one more. */
function sumProc(pids: readonly number[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const pid of pids) {
    const sum = sumTree(pid);
    if (sum !== null) sums.set(pid, sum);
  }
  return sums;
}

/** Null for a process that has ended. */
function sumTree(pid: number): number | null {
  // A zombie has no memory, and its line is missing.
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`) ?? "")?.[1];
  if (kilobytes === undefined) return null;
  return listChildren(pid).reduce((sum, child) => sum + (sumTree(child) ?? 0), Number(kilobytes) * 1024);
}

/** Each thread has children of its own. */
function listChildren(pid: number): readonly number[] {
  try {
    const lists = readdirSync(`/proc/${pid}/task`).map((thread) => readText(`/proc/${pid}/task/${thread}/children`));
    return lists.flatMap((list) => (list ?? "").split(" ").filter((word) => word !== "")).map(Number);
  } catch {
    return [];
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null;
  }
}

/** Other systems. */
export async function sumPs(pids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const args = ["-A", "-o", "pid=,ppid=,rss="];
  const table = await promisify(execFile)("ps", args, { maxBuffer: 16 * 1024 * 1024 }).catch(() => null);
  return table === null ? new Map() : sumTrees(table.stdout, pids);
}

/** `table` has lines of pid, parent and resident kilobytes. */
export function sumTrees(table: string, pids: readonly number[]): ReadonlyMap<number, number> {
  const own = new Map<number, number>();
  const children = new Map<number, number[]>();
  for (const line of table.split("\n")) {
    const [pid, parent, kilobytes] = line.trim().split(/\s+/).map(Number);
    if (pid === undefined || parent === undefined || kilobytes === undefined) continue;
    own.set(pid, kilobytes * 1024);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const sum = (pid: number): number =>
    (children.get(pid) ?? []).reduce((total, child) => total + sum(child), own.get(pid) ?? 0);
  return new Map(pids.filter((pid) => own.has(pid)).map((pid) => [pid, sum(pid)]));
}
