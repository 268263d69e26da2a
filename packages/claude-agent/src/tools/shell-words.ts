// What a model is told about a command: what it printed, bounded, and how it ended.
import type { TerminalExit } from "./client-side.ts";
import type { TerminalOutput } from "./new-output.ts";

const mostCharacters = 30_000;

export function printedWords({ output, truncated }: TerminalOutput): string {
  return bounded(`${truncated ? "[The beginning of the output was dropped.]\n" : ""}${output}`);
}

/** The beginning, as long as it fits. */
export function bounded(text: string): string {
  if (text.length <= mostCharacters) return text;
  return `${text.slice(0, mostCharacters).replace(/[\uD800-\uDBFF]$/, "")}\n[output truncated]`;
}

export function exitWords({ exitCode, signal }: TerminalExit): string {
  if (typeof signal === "string") return `It was ended by ${signal}.`;
  return `It exited with code ${exitCode ?? 0}.`;
}

export function isFailure({ exitCode, signal }: TerminalExit): boolean {
  return typeof signal === "string" || (exitCode ?? 0) !== 0;
}
