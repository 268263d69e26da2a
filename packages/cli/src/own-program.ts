// Gives the command that starts Signalbox itself. Its own agents run as separate processes, like any other.
import type { OwnProgram } from "@signalbox/host";
import type { Program } from "./command.ts";

export function ownProgram({ entry, version }: Program): OwnProgram {
  return { command: process.execPath, args: [entry], version };
}
