// Measures the memory of processes together with everything they started.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Bytes for each pid that runs. Empty where the machine has no `ps`, as in small containers. */
export async function treeMemory(pids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (pids.length === 0) return new Map();
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
