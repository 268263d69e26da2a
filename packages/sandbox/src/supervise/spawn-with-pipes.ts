// Starts a process with pipes, or throws at once. When no descriptor is free, Node gives a child without streams and reports the error in an event
// later; whoever reads a stream of that child fails before anything listens to the event, which then ends the whole process.
import { type ChildProcess, type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from "node:child_process";

interface AllPipes extends SpawnOptions {
  readonly stdio: "pipe" | ["pipe", "pipe", "pipe", "pipe"];
}

/** Throws where no descriptor is free, and what `spawn` throws. Every other failure to start is the child's "error" event. */
export function spawnWithPipes(
  command: string,
  args: readonly string[],
  options: AllPipes,
): ChildProcessWithoutNullStreams;
export function spawnWithPipes(command: string, args: readonly string[], options: SpawnOptions): ChildProcess;
export function spawnWithPipes(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  // The type promises streams.
  if ((child.stdio as unknown) !== undefined) return child;
  child.on("error", () => {});
  throw new Error(`${command} cannot be started: too many files are open here. Try again when fewer are.`);
}
