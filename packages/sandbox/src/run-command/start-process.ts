// One started process, whatever encloses it, behind one face: its output, its end, and a way to stop its whole tree.
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Duplex, Readable } from "node:stream";
import type { Launch } from "../launch/launch.ts";
import type { LimitName } from "./command-result.ts";

export type End =
  | { readonly kind: "exit"; readonly code: number }
  /** `perhapsOurs`: the signal may be the one that `stop` sent. */
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals; readonly perhapsOurs: boolean }
  | { readonly kind: "limit"; readonly limit: LimitName; readonly most: number }
  | { readonly kind: "stopped" }
  | { readonly kind: "not-started"; readonly problem: string };

export interface StartedProcess {
  readonly output: AsyncIterable<Buffer>;
  readonly end: Promise<End>;
  stop(): void;
}

export function startProcess(launch: Launch): StartedProcess {
  const byReport = launch.ends === "by-report";
  const child = spawn(launch.program, launch.arguments, {
    cwd: launch.cwd,
    env: launch.env,
    stdio: ["ignore", "pipe", "ignore", ...(byReport ? (["pipe"] as const) : [])],
    detached: !byReport, // a group of its own, so that it can be ended as one
  });
  const output = child.stdout as Readable; // stdio[1] is "pipe"
  return byReport ? reported(child, output) : signalled(child, output);
}

/** Our helper: the end is a line on descriptor 3, and closing our side of it ends everything. */
function reported(child: ChildProcess, output: Readable): StartedProcess {
  const control = child.stdio[3] as Duplex; // stdio[3] is "pipe"
  let line = "";
  const end = new Promise<End>((resolve) => {
    child.once("error", (error) => resolve({ kind: "not-started", problem: error.message }));
    control.on("error", () => {}); // the helper may be gone already when we close our side
    control.on("data", (data: Buffer) => {
      line += data.toString("utf8");
      if (line.includes("\n")) resolve(parseReport(line));
    });
    child.once("exit", (code, signal) => {
      // Without a line: the helper itself was killed, and with it, by the kernel, the command.
      control.once("close", () => resolve({ kind: "signal", signal: signal ?? "SIGKILL", perhapsOurs: false }));
      if (code === 64)
        resolve({ kind: "not-started", problem: "the sandbox helper does not fit this version; compile it again" });
    });
  });
  return { output, end, stop: () => control.end() };
}

const SIGNAL_NAMES = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

export function parseReport(report: string): End {
  const [line = ""] = report.split("\n", 1);
  const [word = "", ...rest] = line.split(" ");
  const number = Number(rest.at(-1));
  switch (word) {
    case "exit":
      return { kind: "exit", code: number };
    case "signal":
      return { kind: "signal", signal: SIGNAL_NAMES.get(number) ?? "SIGKILL", perhapsOurs: false };
    case "limit":
      return { kind: "limit", limit: rest[0] === "memory" ? "memory" : "processes", most: number };
    case "killed":
      return { kind: "stopped" };
    default:
      return { kind: "not-started", problem: rest.join(" ") };
  }
}

/** How long output may still come after the process itself ended: what it left running is being ended meanwhile. */
const LAST_OUTPUT = 1000;

function signalled(child: ChildProcess, output: Readable): StartedProcess {
  const stop = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group is gone already.
    }
  };
  const end = new Promise<End>((resolve) => {
    child.once("error", (error) => resolve({ kind: "not-started", problem: error.message }));
    child.once("exit", (code, signal) => {
      stop(); // what the command left in its group ends with it
      setTimeout(() => output.destroy(), LAST_OUTPUT).unref();
      resolve(
        code === null ? { kind: "signal", signal: signal ?? "SIGKILL", perhapsOurs: true } : { kind: "exit", code },
      );
    });
  });
  return { output, end, stop };
}
