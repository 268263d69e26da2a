// Starts a program under a policy that talks over its own standard streams, such as an MCP server inside the sandbox.
import type { Readable, Writable } from "node:stream";
import { describePutAside } from "../made-settings/made-settings.ts";
import type { Ending, RefusedCommand } from "./command-result.ts";
import { type LaunchOptions, prepareLaunch, refuse } from "./prepare-launch.ts";
import { describeEnding, startProcess } from "./start-process.ts";

export interface Program {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program and everything it started are gone. */
  readonly ended: Promise<Ending | RefusedCommand>;
  /** SIGTERM for the program and its group. Without our helper it ends the same way as `kill`. */
  terminate(): void;
  /** Ends the program and everything it started. */
  kill(): void;
}

export interface ProgramOptions extends LaunchOptions {
  readonly command: readonly [string, ...string[]];
  /** Ends it like `kill`. */
  readonly signal?: AbortSignal;
  /** Called with sentences about settings of git: which change was dropped, or why the program was ended. */
  readonly onNotice?: (line: string) => void;
}

export function startProgram(options: ProgramOptions): Program | RefusedCommand {
  const prepared = prepareLaunch(options, "own");
  if ("ended" in prepared) return prepared;
  const { settings, made } = prepared;
  const { signal, onNotice = () => {} } = options;
  const running = startProcess(prepared.launch, () => {
    if (settings.hasDoubts()) kill();
  });
  let killed = false;
  const kill = () => {
    killed = true;
    running.stop();
  };
  if (signal?.aborted === true) kill();
  signal?.addEventListener("abort", kill, { once: true });
  const ended = running.end.then(async (end): Promise<Ending | RefusedCommand> => {
    signal?.removeEventListener("abort", kill);
    for (const aside of made.close()) onNotice(describePutAside(aside));
    for (const line of await settings.close()) onNotice(line);
    if (end.kind === "unguarded")
      onNotice(`another program replaced ${end.path}, which is not protected any more then: the program was ended`);
    if (end.kind === "not-started") return refuse("cannot_start", `the program could not be started: ${end.problem}`);
    return describeEnding(end, killed ? { ended: "cancelled" } : undefined);
  });
  const { stdin, output: stdout, stderr } = running;
  return { stdin, stdout, stderr, ended, terminate: () => running.terminate(), kill };
}
