// An empty register teaches: what would fill it. For a program that reads JSON, nothing is nothing.
import { exitCodes } from "./command.ts";
import type { Output } from "./output.ts";

export function nothingKept(output: Output, json: boolean): number {
  if (!json) {
    output.line("The register is empty: no agent has run yet.");
    output.line('Start one with `signalbox run "say hello"`, or open the page with `signalbox`.');
  }
  return exitCodes.ok;
}
