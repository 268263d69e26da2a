// Declares what the tools of a session share: folders, files, commands and background jobs.
import type { CommandEnding, Jobs, Program, SandboxProgram } from "@signalbox/agent-kit";
import type { Files } from "./files/files.ts";

export interface Workspace {
  readonly cwd: string;
  /** cwd and the additional directories of the session. */
  readonly roots: readonly string[];
  readonly files: Files;
  /** Whether `jobs` are in a sandbox, and with it whether the network can be kept from them. */
  readonly sandboxed: boolean;
  /** Whether commands have the network without asking. */
  readonly network: boolean;
  /** Whether the sandbox really holds a command of `jobs` that has no network: then no one needs to be asked about it. */
  readonly areCommandsSandboxed: () => Promise<boolean>;
  /** Runs a program of ours (a search) to its end, in the sandbox, without the network. */
  readonly runProgram: (request: ProgramRun) => Promise<CommandEnding>;
  /** The paths that a rule of the user keeps from the model: searches leave them out. */
  readonly listHiddenPaths: () => Promise<readonly string[]>;
  /** Runs shell commands, in the sandbox or in a terminal of the client, awaited or while the model does other things. */
  readonly jobs: Jobs;
  /** Starts a program on pipes, in the sandbox. Ending it ends everything it started. */
  readonly spawn: (request: ProgramRequest) => Promise<Program>;
  /** Writes a long output to a file that the model and its commands can read. The path, or undefined when that failed. */
  readonly keepOutput: (text: string) => Promise<string | undefined>;
  /** Ends every job, and removes the files of `keepOutput`. */
  close(): Promise<void>;
}

export interface ProgramRun {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** True where it writes nothing: then the session's folders are read-only for it. */
  readonly onlyLooks?: boolean;
  readonly signal: AbortSignal;
  /** Called with output as it comes. Abort the signal to end the program early. */
  readonly onOutput: (text: string) => void;
}

interface ProgramRequest extends SandboxProgram {
  readonly network: boolean;
}
