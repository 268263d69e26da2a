// Finds the descendants of a program by a mark in their environment, also daemons that left its process group. A program that clears its
// environment is not found. Works on Linux only.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

const variable = "SIGNALBOX_PROCESS_TREE";
const timeoutMs = 2000;

export function markedEnvironment(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [variable]: mark };
}

/** The pids that carry one of the marks, never our own. */
export function processesWithMark(marks: readonly string[]): readonly number[] {
  if (process.platform !== "linux" || marks.length === 0) return [];
  const wanted = marks.map((mark) => `${variable}=${mark}\0`);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      const environment = environmentOf(name);
      return wanted.some((entry) => environment.includes(entry));
    })
    .map(Number);
}

/** Kills them until none is left: one may start another in the meantime. Gives up after two seconds. */
export async function endProcessesWithMark(mark: string): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let found = processesWithMark([mark]); found.length > 0; found = processesWithMark([mark])) {
    for (const pid of found) kill(pid);
    if (Date.now() > deadline) return;
    await setTimeout(10);
  }
}

/** Empty for a process of another user, one that is gone, and a zombie. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}
