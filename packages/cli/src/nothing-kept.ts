// Says how to begin when the register is empty. With --json it prints nothing.
import { exitCodes } from "./command.ts";
import type { Output } from "./output.ts";

export function nothingKept(output: Output, json: boolean): number {
  if (!json) {
    output.line("No threads yet.");
    output.line('Start one with `signalbox run "say hello"`, or open the page with `signalbox`.');
  }
  return exitCodes.ok;
}
