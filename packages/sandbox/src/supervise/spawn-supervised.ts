// Starts a program without limits, an agent or an MCP server, whose descendants all end when it ends, when it is told to,
// or when this process is gone, also by kill -9.
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { readReports } from "../run-command/report-lines.ts";
import { endProcessesWithMark, markedEnvironment } from "./process-mark.ts";
import { spawnWithPipes } from "./spawn-with-pipes.ts";

export interface SupervisedProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The compiled helper. Without one the program runs in a process group of its own, and only `endLeftovers` finds daemons. */
  readonly helper: string | undefined;
}

export interface SupervisedProcess {
  /** Streams, exit code and signal are the program's own. A signal sent to it reaches the program's whole group. */
  readonly process: ChildProcessWithoutNullStreams;
  /** Ends the program and everything it ever started. The process's exit event says when that is done. */
  killTree(): void;
  /**
   * Ends the daemons that outlived it: after its end, where there is no supervisor or the supervisor was killed. Does nothing where a
   * supervisor has done it already.
   */
  endLeftovers(): Promise<void>;
  /** A variable in the environment of all descendants, for a ledger. */
  readonly mark: string;
}

export function spawnSupervised(program: SupervisedProgram): SupervisedProcess {
  const { command, args, cwd, helper } = program;
  const mark = randomUUID();
  const env = markedEnvironment(program.env, mark);
  if (helper === undefined) {
    const child = spawnWithPipes(command, args, { cwd, env, stdio: "pipe", detached: true });
    return {
      process: child,
      mark,
      killTree: () => killGroup(child.pid),
      endLeftovers: () => endProcessesWithMark(mark),
    };
  }
  return spawnWithLifeline({ helper, args: ["supervise", "--lifeline", "3", "--", command, ...args], cwd, env, mark });
}

interface WithLifeline {
  readonly helper: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mark: string;
  /** Called when another program changed settings of git. */
  readonly onChanged?: () => void;
}

/** Descriptor 3 is the lifeline: the helper ends everything when our side of it is closed, by us or by our death. */
export function spawnWithLifeline({
  helper,
  args,
  cwd,
  env,
  mark,
  onChanged = () => {},
}: WithLifeline): SupervisedProcess {
  const child = spawnWithPipes(helper, args, {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    // Out of our group: a Ctrl+C in the terminal is for us, who then end what we started in good order.
    detached: true,
  });
  const lifeline = child.stdio[3] as unknown as Duplex; // stdio[3] is "pipe"
  lifeline.on("error", () => {}); // the supervisor may be gone first
  readReports(lifeline, onChanged, () => {}); // how it ended, its exit says
  return {
    process: child,
    mark,
    killTree: () => lifeline.destroy(),
    // A supervisor that ended with an exit code has ended everything before. One that ended by a signal may have been killed.
    endLeftovers: async () => {
      if (child.exitCode === null) await endProcessesWithMark(mark);
    },
  };
}

export function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The group is gone already.
  }
}
