// How to start Signalbox itself again: its own agents are programs like every other.
import type { OwnProgram } from "@signalbox/host";
import type { Program } from "./command.ts";

export function ownProgram({ entry, version }: Program): OwnProgram {
  return { command: process.execPath, args: [entry], version };
}
