// What the system tells about a process and all below it: its command and the memory they hold together. Linux only; elsewhere little is known.
import { readFileSync } from "node:fs";

const pageBytes = 4096;

export function readProcess(pid: number): { readonly command: string; readonly memory: number | null } {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return { command, memory: memoryOf(pid) };
  } catch {
    return { command: "", memory: null };
  }
}

function memoryOf(pid: number): number {
  try {
    const resident = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * pageBytes;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return children.split(" ").reduce((sum, child) => sum + (child === "" ? 0 : memoryOf(Number(child))), resident);
  } catch {
    // It ended while we looked.
    return 0;
  }
}
