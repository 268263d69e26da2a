// Lists the processes of this machine with their start times: a pid alone does not identify a process, because pids are used again.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Comparable with `now` and with other starts of the same `boot`. */
  readonly start: number;
}

export interface ProcessTable {
  /** Differs after each start of the machine where start times are relative to it. */
  readonly boot: string;
  now(): number;
  /** Those of the pids that run; zombies do not count. */
  find(pids: readonly number[]): readonly RunningProcess[];
  all(): readonly RunningProcess[];
}

export function openProcessTable(): ProcessTable {
  return process.platform === "linux" ? new ProcTable() : new PsTable();
}

/** Linux: /proc, start times in clock ticks since the machine started. */
class ProcTable implements ProcessTable {
  readonly boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

  now(): number {
    // USER_HZ is 100 on every Linux that Node runs on.
    return Math.ceil(Number.parseFloat(readFileSync("/proc/uptime", "utf8")) * 100);
  }

  find(pids: readonly number[]): readonly RunningProcess[] {
    return pids.map(readStat).filter((each) => each !== null);
  }

  all(): readonly RunningProcess[] {
    const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return this.find(names.map(Number));
  }
}

function readStat(pid: number): RunningProcess | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return null;
  }
}

/** Parses /proc/PID/stat; null for a zombie and for other text. */
export function parseStat(line: string): RunningProcess | null {
  // The name in parentheses may contain spaces and parentheses.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const start = Number(fields[19]);
  const pid = Number.parseInt(line, 10);
  if (state === "Z" || state === "X" || !Number.isSafeInteger(pid) || !Number.isSafeInteger(start)) return null;
  return { pid, parent: Number(parent), group: Number(group), start };
}

/** Other systems: ps, start times in milliseconds, exact to the second. */
class PsTable implements ProcessTable {
  readonly boot = "wall-clock";

  now(): number {
    return Date.now();
  }

  find(pids: readonly number[]): readonly RunningProcess[] {
    return pids.length === 0 ? [] : runPs(["-p", pids.join(",")]);
  }

  all(): readonly RunningProcess[] {
    return runPs(["-A"]);
  }
}

function runPs(which: readonly string[]): readonly RunningProcess[] {
  try {
    const table = execFileSync("ps", [...which, "-o", "pid=,ppid=,pgid=,stat=,lstart="], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    return table
      .split("\n")
      .map(parsePsLine)
      .filter((row) => row !== null);
  } catch {
    return [];
  }
}

/** Parses a line of `ps -o pid=,ppid=,pgid=,stat=,lstart=`; null for a zombie and for other text. */
export function parsePsLine(line: string): RunningProcess | null {
  const [, pid, parent, group, state, started = ""] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
  const start = Date.parse(started);
  if (state === undefined || state.startsWith("Z") || Number.isNaN(start)) return null;
  return { pid: Number(pid), parent: Number(parent), group: Number(group), start };
}
