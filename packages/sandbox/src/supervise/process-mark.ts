// Finds the descendants of a program by a mark in their environment, also daemons that left its process group. A program that clears its
// environment is not found. Works on Linux only.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

const variable = "SIGNALBOX_PROCESS_TREE";
const timeoutMs = 2000;

export function markedEnvironment(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [variable]: mark };
}

interface MarkedProcesses {
  readonly pids: readonly number[];
  /** Some process was just becoming another program. For that moment its environment is empty, so a mark could not be seen: look again. */
  readonly unsure: boolean;
}

/** The processes that carry one of the marks, never our own. */
export function processesWithMark(marks: readonly string[]): MarkedProcesses {
  if (process.platform !== "linux" || marks.length === 0) return { pids: [], unsure: false };
  const wanted = marks.map((mark) => `${variable}=${mark}\0`);
  const pids: number[] = [];
  let unsure = false;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const environment = readEnvironment(name);
    if (environment === undefined) unsure = true;
    else if (wanted.some((entry) => environment.includes(entry))) pids.push(Number(name));
  }
  return { pids, unsure };
}

/** Kills them until two looks in a row found none: one may start another, or become another program, in the meantime. Gives up after two seconds. */
export async function endProcessesWithMark(mark: string): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let without = 0; without < 2 && Date.now() <= deadline; ) {
    const { pids, unsure } = processesWithMark([mark]);
    for (const pid of pids) kill(pid);
    without = pids.length === 0 && !unsure ? without + 1 : 0;
    await setTimeout(10);
  }
}

/** Empty for a process of another user, one that is gone, and a zombie. Undefined for one that is just becoming another program. */
function readEnvironment(pid: string): string | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
    if (environment !== "" || isSurelyEmpty(readFileSync(`/proc/${pid}/stat`, "latin1"))) return environment;
    return undefined;
  } catch {
    return "";
  }
}

/**
 * Whether a process of which no environment could be read has none, by its /proc/PID/stat. A process without memory is one of the kernel's own, or is
 * ending. Of any other one the kernel says where its environment begins and ends: both are 0 while it becomes another program.
 */
export function isSurelyEmpty(stat: string): boolean {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the third field of proc_pid_stat(5) is the first one here
  const [memory, begin, end] = [fields[20], fields[47], fields[48]];
  return memory === "0" || (begin === end && end !== "0");
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}
