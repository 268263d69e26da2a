// Starts one process, whatever sandboxes it, and gives its streams, its end, and a way to stop its whole tree.
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { type Duplex, Readable, Writable } from "node:stream";
import { messageOf } from "@signalbox/base";
import type { Launch } from "../launch/launch-request.ts";
import { spawnWithPipes } from "../supervise/spawn-with-pipes.ts";
import type { Ending, LimitName } from "./command-result.ts";
import { readReports } from "./report-lines.ts";

export type End =
  | { readonly kind: "exit"; readonly code: number }
  /** `perhapsOurs`: the signal may be the one that `stop` sent. */
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals; readonly perhapsByHost: boolean }
  | { readonly kind: "limit"; readonly limit: LimitName; readonly most: number }
  /** The helper ended it because it made a path that must not exist. */
  | { readonly kind: "forbidden"; readonly path: string }
  /** The helper ended it because another program replaced a guarded file, which takes the guard away. */
  | { readonly kind: "unguarded"; readonly path: string }
  | { readonly kind: "stopped" }
  | { readonly kind: "not-started"; readonly problem: string };

interface StartedProcess {
  readonly output: Readable;
  readonly stdin: Writable;
  readonly stderr: Readable;
  readonly end: Promise<End>;
  /** Asks it to end (TERM), where the sandboxing program passes that on. */
  terminate(): void;
  /** Ends the whole tree. */
  stop(): void;
}

/** Without a report: the helper itself was killed, and with it, by the kernel, the command. */
export const killedEnd: End = { kind: "signal", signal: "SIGKILL", perhapsByHost: false };

export function startProcess(launch: Launch, onChanged: () => void = () => {}): StartedProcess {
  const byReport = launch.ends === "by-report";
  const other = launch.streams === "own" ? "pipe" : "ignore";
  let child: ChildProcess;
  try {
    child = spawnWithPipes(launch.program, launch.arguments, {
      cwd: launch.cwd,
      env: launch.env,
      stdio: [other, "pipe", other, byReport ? "pipe" : "ignore"],
      detached: !byReport, // a group of its own, so that it can be ended as one
    });
  } catch (error) {
    return failToStart(messageOf(error));
  }
  child.stdin?.on("error", () => {}); // a program that ended does not read any more; its end says so
  const streams = {
    output: child.stdout ?? Readable.from([]),
    stdin: child.stdin ?? new Writable(),
    stderr: child.stderr ?? Readable.from([]),
  };
  return { ...streams, ...(byReport ? reported(child, onChanged) : signalled(child, streams.output)) };
}

function failToStart(problem: string): StartedProcess {
  const none = { output: Readable.from([]), stdin: new Writable(), stderr: Readable.from([]) };
  return { ...none, end: Promise.resolve({ kind: "not-started", problem }), terminate: () => {}, stop: () => {} };
}

type Control = Pick<StartedProcess, "end" | "terminate" | "stop">;

/** Our helper: the end is a line on descriptor 3, and closing our side of it ends everything. */
function reported(child: ChildProcess, onChanged: () => void): Control {
  const control = child.stdio[3] as Duplex; // stdio[3] is "pipe"
  const end = new Promise<End>((resolve) => {
    child.once("error", (error) => resolve({ kind: "not-started", problem: error.message }));
    control.on("error", () => {}); // the helper may be gone already when we close our side
    readReports(control, onChanged, (line) => resolve(parseReport(line)));
    child.once("exit", (code, signal) => {
      const problem = "the sandbox helper does not fit this version; compile it again";
      if (code === badUsage) resolve({ kind: "not-started", problem });
      const killed: End = { ...killedEnd, ...(signal !== null && { signal }) };
      if (control.closed) resolve(killed);
      else control.once("close", () => resolve(killed));
    });
  });
  return { end, terminate: () => void child.kill("SIGTERM"), stop: () => control.end() };
}

const badUsage = 64;
const signalNames = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

export function parseReport(line: string): End {
  const [word = "", ...rest] = line.split(" ");
  const number = Number(rest.at(-1));
  switch (word) {
    case "exit":
      return { kind: "exit", code: number };
    case "signal":
      return { kind: "signal", signal: signalNames.get(number) ?? "SIGKILL", perhapsByHost: false };
    case "limit":
      return { kind: "limit", limit: rest[0] === "memory" ? "memory" : "processes", most: number };
    case "made":
      return { kind: "forbidden", path: rest.join(" ") };
    case "replaced":
      return { kind: "unguarded", path: rest.join(" ") };
    case "killed":
      return { kind: "stopped" };
    default:
      return { kind: "not-started", problem: rest.join(" ") };
  }
}

/** How long output may still come after the process itself ended: what it left running is being ended meanwhile. */
const lastOutputMs = 1000;

function signalled(child: ChildProcess, output: Readable): Control {
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
      setTimeout(() => output.destroy(), lastOutputMs).unref();
      if (code === null) resolve({ kind: "signal", signal: signal ?? "SIGKILL", perhapsByHost: true });
      else resolve({ kind: "exit", code });
    });
  });
  return { end, terminate: stop, stop };
}

/** Returns our reason if we stopped the command, unless it had ended by itself just before. */
export function describeEnding(end: Exclude<End, { kind: "not-started" }>, causedByHost: Ending | undefined): Ending {
  switch (end.kind) {
    case "exit":
      return { ended: "exit", exitCode: end.code };
    case "signal":
      return causedByHost !== undefined && end.perhapsByHost ? causedByHost : { ended: "signal", signal: end.signal };
    case "limit":
      return { ended: "limit", limit: end.limit, most: end.most };
    case "forbidden":
    case "unguarded":
      return { ended: "signal", signal: "SIGKILL" };
    case "stopped":
      return causedByHost ?? { ended: "signal", signal: "SIGKILL" };
  }
}
