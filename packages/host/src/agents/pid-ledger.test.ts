import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PidLedger, reapLeftovers } from "./pid-ledger.ts";
import { openProcessTable, parsePsLine, parseStat } from "./process-table.ts";

let folder: string;
let file: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-ledger-"));
  mkdirSync(join(folder, "run"));
  file = join(folder, "run/processes.json");
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const table = openProcessTable();
const isRunning = (pid: number) => table.find([pid]).length > 0;

/** A group of its own: a leader, and a process that the leader started. */
async function startGroup(
  env: Record<string, string> = {},
  options: { detached?: boolean } = {},
): Promise<{ leader: ChildProcess; pid: number; child: number }> {
  const code = `const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], ${JSON.stringify(options)}); console.log(child.pid); setInterval(() => {}, 1000)`;
  const leader = spawn(process.execPath, ["-e", code], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...env },
  });
  started.push(leader);
  const [line] = (await once(createInterface({ input: leader.stdout }), "line")) as [string];
  return { leader, pid: leader.pid ?? 0, child: Number(line) };
}

/** Changes what the ledger says, as if the pid had gone to another process. */
function change(fields: object): void {
  const ledger = JSON.parse(readFileSync(file, "utf8")) as { entries: object[] };
  writeFileSync(file, JSON.stringify({ ...ledger, entries: ledger.entries.map((entry) => ({ ...entry, ...fields })) }));
}

describe("a process that a dead host left running", () => {
  it("is ended with everything it started, and the ledger is empty again", async () => {
    const { pid, child } = await startGroup();
    new PidLedger(folder).add(pid);
    const ended = await reapLeftovers(folder);
    expect(new Set(ended)).toEqual(new Set([pid, child]));
    expect([pid, child].filter(isRunning)).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  it("stays when its pid belongs to another process now", async () => {
    const { pid, child } = await startGroup();
    new PidLedger(folder).add(pid);
    change({ start: (table.find([pid])[0]?.start ?? 0) - 1 });
    expect(await reapLeftovers(folder)).toEqual([]);
    expect([pid, child].filter(isRunning)).toEqual([pid, child]);
    process.kill(child, "SIGKILL");
  });

  it("stays after a restart of the machine", async () => {
    const { pid, child } = await startGroup();
    new PidLedger(folder, { ...tableMethods(), boot: "another boot" }).add(pid);
    expect(await reapLeftovers(folder)).toEqual([]);
    expect(isRunning(pid)).toBe(true);
    process.kill(child, "SIGKILL");
  });

  it("is found by its group when its first process is gone, if it ran while that was seen", async () => {
    const { leader, pid, child } = await startGroup();
    new PidLedger(folder).add(pid);
    leader.kill("SIGKILL");
    await once(leader, "exit");
    const seen = table.find([child])[0]?.start ?? 0;
    change({ seen: seen - 1 });
    const note = readFileSync(file, "utf8");
    expect(await reapLeftovers(folder)).toEqual([]);
    expect(isRunning(child)).toBe(true);
    writeFileSync(file, note);
    change({ seen });
    expect(await reapLeftovers(folder)).toEqual([child]);
    expect(isRunning(child)).toBe(false);
  });

  it("is found by its mark when it left the group of its first process", async () => {
    const mark = randomUUID();
    const { leader, pid, child } = await startGroup({ SIGNALBOX_PROCESS_TREE: mark }, { detached: true });
    new PidLedger(folder).add(pid, mark);
    leader.kill("SIGKILL");
    await once(leader, "exit");
    change({ seen: 0 });
    expect(await reapLeftovers(folder)).toEqual([child]);
    expect(isRunning(child)).toBe(false);
  });

  it("is none when the ledger is missing, damaged or forged", async () => {
    expect(await reapLeftovers(folder)).toEqual([]);
    for (const text of ["", "{", "[]", `{"boot":"${table.boot}","entries":[{"pid":1,"start":0,"seen":9e15}]}`]) {
      writeFileSync(file, text);
      expect(await reapLeftovers(folder)).toEqual([]);
    }
  });

  it("is none when everything was stopped", async () => {
    const { pid, child } = await startGroup();
    const ledger = new PidLedger(folder);
    ledger.add(pid);
    expect(existsSync(file)).toBe(true);
    ledger.remove(pid);
    expect(existsSync(file)).toBe(false);
    process.kill(child, "SIGKILL");
  });
});

describe("reading the process table", () => {
  it("parses a name with parentheses and spaces, and leaves out zombies", () => {
    const rest = "S 10 40 40 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 2";
    expect(parseStat(`42 (a) b (c) ${rest}`)).toEqual({ pid: 42, parent: 10, group: 40, start: 98765 });
    expect(parseStat(`42 (a) ${rest.replace("S", "Z")}`)).toBeNull();
    expect(parseStat("")).toBeNull();
  });

  it("parses the output of ps", () => {
    const start = Date.parse("Sun Nov 15 09:05:01 2026");
    expect(parsePsLine("  42    10    40 Ss   Sun Nov 15 09:05:01 2026    ")).toEqual({
      pid: 42,
      parent: 10,
      group: 40,
      start,
    });
    expect(parsePsLine("  42    10    40 Z   Sun Nov 15 09:05:01 2026")).toBeNull();
    expect(parsePsLine("")).toBeNull();
  });
});

function tableMethods() {
  return {
    now: () => table.now(),
    find: (pids: readonly number[]) => table.find(pids),
    all: () => table.all(),
  };
}
