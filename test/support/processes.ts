// Finds processes of this machine, for tests that check which of them run.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Processes with a word in their command line. The sandbox helper does not count: its command line has the whole command. */
export function processesWith(word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      const line = commandLine(pid);
      return line.includes(word) && !line.includes("signalbox-sandbox");
    });
}

/** Long enough for a machine whose disk is busy: what never ends is still there afterwards. */
const maxWaitMs = 20_000;

/** A look at all processes takes some milliseconds of processor time. */
const pauseMs = 25;

/** Waits until no process has the word; gives those that are left when the time is over. */
export async function untilGone(word: string): Promise<number[]> {
  const end = Date.now() + maxWaitMs;
  while (processesWith(word).length > 0 && Date.now() < end) await setTimeout(pauseMs);
  return processesWith(word);
}

export async function untilPresent(word: string): Promise<number[]> {
  const end = Date.now() + maxWaitMs;
  while (processesWith(word).length === 0 && Date.now() < end) await setTimeout(5);
  return processesWith(word);
}

/** All processes below the given one, this one's by default. */
export function descendants(pid: number = process.pid): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap((child) => descendants(child))];
}

export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" "))
      .filter((child) => child !== "")
      .map(Number);
  } catch {
    return []; // it ended meanwhile
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it ended meanwhile
  }
}
