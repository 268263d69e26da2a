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
    const environment = environmentOf(name);
    if (environment === undefined) unsure = true;
    else if (wanted.some((entry) => environment.includes(entry))) pids.push(Number(name));
  }
  return { pids, unsure };
}

/** Kills them until none is left: one may start another in the meantime. Gives up after two seconds. */
export async function endProcessesWithMark(mark: string): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { pids, unsure } = processesWithMark([mark]);
    for (const pid of pids) kill(pid);
    if ((pids.length === 0 && !unsure) || Date.now() > deadline) return;
    await setTimeout(10);
  }
}

/** Empty for a process of another user, one that is gone, and a zombie. Undefined for one that is just becoming another program. */
function environmentOf(pid: string): string | undefined {
  try {
    const environment = readEnvironment(pid);
    if (environment !== "") return environment;
    if (hasNoEnvironmentYet(pid)) return undefined;
    return readEnvironment(pid); // It may have become another program between opening and reading.
  } catch {
    return "";
  }
}

function readEnvironment(pid: string): string {
  return readFileSync(`/proc/${pid}/environ`, "latin1");
}

/** The kernel gives a new program its memory first and notes where the environment is afterwards. Its own threads have no memory. */
function hasNoEnvironmentYet(pid: string): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the third field of proc_pid_stat(5) is the first one here
  const [memory, endOfEnvironment] = [fields[20], fields[48]];
  return memory !== "0" && endOfEnvironment === "0";
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}
