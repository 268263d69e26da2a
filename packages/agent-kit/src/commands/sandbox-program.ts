// Starts programs in our sandbox that talk over their own streams: MCP servers.
import { PassThrough, type Readable, type Writable } from "node:stream";
import { describeEnding, type ProgramOptions, startProgram } from "@signalbox/sandbox";

export interface SandboxProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the filtered environment that every command gets. It may hold keys: they were configured for this program. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Program {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The last of what it wrote to stderr. */
  readonly errors: () => string;
  /** How it ended: `exit code 1`, `ended by SIGKILL`, or why it could not start. Never rejects. */
  readonly ended: Promise<string>;
  /** Asks it to end, with SIGTERM. */
  terminate(): void;
  /** Ends it and everything it started. */
  kill(): void;
}

/** The sandbox that a program gets. */
type ProgramSandbox = Omit<ProgramOptions, "command" | "cwd" | "signal" | "onNotice">;

const maxErrorOutput = 4000;

/**
 * The sandbox takes keys out of every environment. What was given for this very program comes through its stdin first, and not on a
 * command line, which others can read.
 */
const withVariables = 'while IFS= read -r -d "" variable && [ -n "$variable" ]; do export "$variable"; done; exec "$@"';

export function startSandboxProgram(request: SandboxProgram, sandbox: ProgramSandbox): Program {
  const { command, args, cwd } = request;
  const variables = Object.entries(request.env);
  const program = startProgram({
    ...sandbox,
    command: variables.length === 0 ? [command, ...args] : ["/bin/bash", "-c", withVariables, "bash", command, ...args],
    cwd,
    // Into the agent's log, as for a whole agent inside: a server has no output that anyone reads.
    onNotice: (line) => process.stderr.write(`[${command}: ${line}]\n`),
  });
  if ("code" in program) return refused(program.message);
  const { stdin, stdout, stderr, ended } = program;
  stdin.on("error", () => {}); // the end of the program says more
  if (variables.length > 0) {
    stdin.write(`${variables.map(([name, value]) => `${name}=${value.replaceAll("\0", "")}\0`).join("")}\0`);
  }
  let errors = "";
  const decoder = new TextDecoder();
  stderr.on("data", (bytes: Uint8Array) => {
    errors = (errors + decoder.decode(bytes, { stream: true })).slice(-maxErrorOutput);
  });
  return {
    stdin,
    stdout,
    errors: () => errors.trim(),
    ended: ended.then(describeEnding),
    terminate: () => program.terminate(),
    kill: () => program.kill(),
  };
}

/** A program that has ended already. */
function refused(words: string): Program {
  const stdout = new PassThrough().end();
  return {
    stdin: new PassThrough(),
    stdout,
    errors: () => "",
    ended: Promise.resolve(words),
    terminate: nothing,
    kill: nothing,
  };
}

function nothing(): void {}
