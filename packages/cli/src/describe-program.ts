// Gives the command that starts Signalbox itself. Its own agents run as separate processes, like any other.
import type { OwnProgram } from "@signalbox/host";
import type { Program } from "./command.ts";

export function describeProgram({ entry, version }: Program): OwnProgram {
  // They get the same limit of memory as this process.
  const flags = process.execArgv.filter((flag) => flag.startsWith("--max-semi-space-size"));
  return { command: process.execPath, args: [...flags, entry], version };
}
