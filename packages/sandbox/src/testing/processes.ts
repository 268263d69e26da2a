// For tests: which processes of the machine carry a mark in their command line, seen from outside of any namespace. The
// helper does not count: it has the whole command in its own line, and may take a moment longer to go.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

export function processesWith(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => commandLine(name).includes(mark) && !commandLine(name).includes("signalbox-sandbox"))
    .map(Number);
}

/** Waits until none is left; gives up after some seconds and says which are. */
export async function untilGone(mark: string): Promise<number[]> {
  for (let i = 0; i < 300 && processesWith(mark).length > 0; i++) await setTimeout(10);
  return processesWith(mark);
}

export async function untilPresent(mark: string): Promise<number[]> {
  for (let i = 0; i < 1000 && processesWith(mark).length === 0; i++) await setTimeout(5);
  return processesWith(mark);
}

/** All processes below the given one, this one's by default. */
export function descendants(pid: number = process.pid): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap((child) => descendants(child))];
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" "))
      .filter((child) => child !== "")
      .map(Number);
  } catch {
    return []; // gone meanwhile
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
