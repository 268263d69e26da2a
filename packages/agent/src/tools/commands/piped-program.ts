// A program with its own stdin and stdout inside the sandbox. The sandbox runs commands to their end and gives out what they print;
// named pipes, unlinked as soon as both sides hold them, carry the rest.
import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describeEnding, type Enforcement, type Policy, runCommand } from "@signalbox/sandbox";
import type { Program, ProgramRequest } from "../workspace.ts";

export interface PipedProgramOptions {
  readonly enforcement: () => Promise<Enforcement>;
  readonly policy: (network: boolean) => Policy;
  readonly env: () => Readonly<Record<string, string>>;
}

/** Says that the pipes are open; what the program writes to stderr follows. */
const ready = "signalbox: the pipes are open\n";

/**
 * Variables come through the pipe first, because command lines can be read by others. Then the program runs beside two waiters: one
 * for its end, one for the word to end it.
 */
const wrapper = `
exec 3<"$1" 4>"$2" 5<>"$3"
shift 3
while IFS= read -r -d "" variable <&3 && [ -n "$variable" ]; do export "$variable"; done
printf '${ready.trimEnd()}\\n'
"$@" <&3 >&4 3<&- 4>&- 5<&- &
program=$!
exec 3<&- 4>&-
{ read -r _ <&5 && kill -TERM "$program"; } 2>/dev/null &
wait "$program"
`;

const longestErrors = 4000;

export async function startPipedProgram(request: ProgramRequest, options: PipedProgramOptions): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-pipes-"));
  const [input, output, control] = [join(folder, "in"), join(folder, "out"), join(folder, "control")];
  await promisify(execFile)("mkfifo", ["-m", "600", input, output, control]);
  // Opened for both ways, so that neither side waits for the other; the output for one, because its end must be seen.
  const inputEnd = openSync(input, constants.O_RDWR | constants.O_NONBLOCK);
  const controlEnd = openSync(control, constants.O_RDWR | constants.O_NONBLOCK);
  const outputEnd = openSync(output, constants.O_RDONLY | constants.O_NONBLOCK);
  // Held until the program has its ends: a pipe that nobody holds forgets what is in it.
  const holders = [
    openSync(input, constants.O_RDWR | constants.O_NONBLOCK),
    openSync(output, constants.O_WRONLY | constants.O_NONBLOCK),
  ];
  const stdin = new Socket({ fd: inputEnd, readable: false, writable: true });
  const stdout = new Socket({ fd: outputEnd, readable: true, writable: false });
  const word = new Socket({ fd: controlEnd, readable: false, writable: true });
  for (const socket of [stdin, stdout, word]) socket.on("error", () => {}); // the end of the program says more

  let errors = "";
  let isReady = false;
  const release = once(() => {
    for (const holder of holders) closeSync(holder);
    void rm(folder, { recursive: true, force: true });
  });
  const onOutput = (text: string) => {
    errors = (errors + text).slice(-longestErrors - ready.length);
    if (isReady || !errors.includes(ready)) return;
    isReady = true;
    errors = errors.slice(errors.indexOf(ready) + ready.length);
    release();
  };
  for (const [name, value] of Object.entries(request.env)) stdin.write(`${name}=${value.replaceAll("\0", "")}\0`);
  stdin.write("\0");

  const stop = new AbortController();
  const ended = run(request, options, [input, output, control], stop.signal, onOutput).finally(() => {
    release();
    stdin.destroy();
    word.destroy();
  });
  return {
    stdin,
    stdout,
    errors: () => errors.trim(),
    ended,
    terminate: () => void word.write("\n"),
    kill: () => stop.abort(),
  };
}

async function run(
  { command, args, cwd, network }: ProgramRequest,
  { enforcement, policy, env }: PipedProgramOptions,
  pipes: readonly string[],
  signal: AbortSignal,
  onOutput: (text: string) => void,
): Promise<string> {
  try {
    await using result = await runCommand({
      enforcement: await enforcement(),
      policy: policy(network),
      command: ["/bin/bash", "-c", wrapper, "signalbox", ...pipes, command, ...args],
      cwd,
      env: env(),
      signal,
      onOutput,
    });
    return describeEnding(result);
  } catch (error) {
    return String(error);
  }
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
