// Runs the checkers that the config names after an edit, in the sandbox, and says which problems are new. What was there before is not the model's doing.
import { hasSucceeded, plainOutput } from "@signalbox/agent-kit";
import type { Checker } from "@signalbox/config";
import { quoteArguments } from "@signalbox/rules";
import { compileGlob } from "./search/glob.ts";
import type { Workspace } from "./workspace.ts";

/** Whether this command may run. */
type Permit = (command: string) => Promise<boolean>;

interface Check {
  readonly name: string;
  readonly command: string;
}

const timeLimitMs = 30_000;
/** Of the output that is looked at. */
const maxOutput = 1_000_000;
const maxLines = 20;
const maxLineLength = 300;

export class Diagnostics {
  readonly #checkers: readonly (Checker & { readonly matches: (path: string) => boolean })[];
  readonly #workspace: Workspace;
  /** By command: the lines of its problems when it last ran, without numbers, each with how often it was there. */
  readonly #known = new Map<string, ReadonlyMap<string, number>>();

  /** Throws a GlobError when a glob cannot be read. */
  constructor(checkers: readonly Checker[], workspace: Workspace) {
    this.#checkers = checkers.map((checker) => ({ ...checker, matches: compileGlob(checker.glob) }));
    this.#workspace = workspace;
  }

  /** Looks which problems there are before the first edit of files like these. */
  async before(paths: readonly string[], permit: Permit, signal: AbortSignal): Promise<void> {
    for (const { command } of this.#selectChecks(paths)) {
      if (this.#known.has(command)) continue;
      const lines = (await permit(command)) ? await this.#run(command, signal) : undefined;
      if (Array.isArray(lines)) this.#known.set(command, counted(lines));
    }
  }

  /** The problems that are new since the checkers last ran, for the model; empty where there is none. */
  async after(paths: readonly string[], permit: Permit, signal: AbortSignal): Promise<string> {
    const parts: string[] = [];
    for (const { name, command } of this.#selectChecks(paths)) {
      const before = this.#known.get(command);
      if (before === undefined || !(await permit(command))) continue;
      const lines = await this.#run(command, signal);
      if (typeof lines === "string") parts.push(`[${name}: ${lines}]`);
      else {
        this.#known.set(command, counted(lines));
        const fresh = newLines(lines, before);
        if (fresh.length > 0) parts.push(`[New problems, by ${name}:\n${listed(fresh)}]`);
      }
    }
    return parts.join("\n");
  }

  #selectChecks(paths: readonly string[]): readonly Check[] {
    const { cwd } = this.#workspace;
    const inFolder = paths.flatMap((path) => (path.startsWith(`${cwd}/`) ? [path.slice(cwd.length + 1)] : []));
    return this.#checkers.flatMap(({ command, matches }) => {
      const files = inFolder.filter(matches);
      if (files.length === 0) return [];
      if (!command.includes("{file}")) return [{ name: command, command }];
      return files.map((file) => ({
        name: command,
        command: command.replaceAll("{file}", quoteArguments([`./${file}`])),
      }));
    });
  }

  /** The lines of what it printed, none where it ended well; or why that is not known. */
  async #run(command: string, signal: AbortSignal): Promise<readonly string[] | string> {
    const limit = AbortSignal.timeout(timeLimitMs);
    let output = "";
    const end = await this.#workspace.runProgram({
      command: ["/bin/bash", "-c", command],
      cwd: this.#workspace.cwd,
      signal: AbortSignal.any([signal, limit]),
      onOutput: (text) => {
        output = (output + text).slice(0, maxOutput);
      },
    });
    signal.throwIfAborted();
    if (limit.aborted) return `stopped after ${timeLimitMs / 1000} seconds`;
    if (end.ended !== "exit") return `could not run: ${end.ended}`;
    if (hasSucceeded(end)) return [];
    return plainOutput(output)
      .split("\n")
      .map((line) => line.trimEnd())
      .filter((line) => line !== "");
  }
}

/** A problem that moved to another line is not a new one. */
function withoutNumbers(line: string): string {
  return line.replaceAll(/\d+/g, "#");
}

function counted(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines.map(withoutNumbers)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function newLines(lines: readonly string[], before: ReadonlyMap<string, number>): readonly string[] {
  const left = new Map(before);
  return lines.filter((line) => {
    const key = withoutNumbers(line);
    const known = left.get(key) ?? 0;
    left.set(key, known - 1);
    return known <= 0;
  });
}

function listed(lines: readonly string[]): string {
  const shown = lines.slice(0, maxLines).map((line) => line.slice(0, maxLineLength).toWellFormed());
  const more = lines.length > maxLines ? [`… and ${lines.length - maxLines} more lines`] : [];
  return [...shown, ...more].join("\n");
}
