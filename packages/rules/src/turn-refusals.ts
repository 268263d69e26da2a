// This module remembers what was refused in the running turn, so that a refusal holds: a change of the same paths, by whatever tool, and an equivalent
// command are asked about again, whatever else would let them run.
import { readCommand } from "./command-readings.ts";
import { lineInShell } from "./shell-wrapper.ts";
import { type Subject, unknownPath } from "./subject.ts";
import { nameProgram } from "./wrappers.ts";

type RefusableCall = Pick<Subject, "kind" | "command" | "paths" | "targets" | "targetNames">;

/** A line, and its commands word by word. */
interface RefusedCommand {
  readonly line: string;
  readonly commands: readonly string[];
}

/** Kinds of calls that change no file. Of any other kind it is not known. */
const harmlessKinds: ReadonlySet<string> = new Set(["read", "search", "fetch", "think", "switch_mode"]);

export class TurnRefusals {
  readonly #paths = new Set<string>();
  #commands: readonly RefusedCommand[] = [];

  /** The paths of which a change was refused. */
  get paths(): readonly string[] {
    return [...this.#paths];
  }

  /** A turn begins. */
  clear(): void {
    this.#paths.clear();
    this.#commands = [];
  }

  /** Remembers a refusal. A later yes to the same takes it back. */
  record(call: RefusableCall, isAllowed: boolean): void {
    if (call.command !== undefined) {
      const refused = readRefused(call.command);
      const others = this.#commands.filter(({ line }) => line !== refused.line);
      this.#commands = isAllowed ? others : [...others, refused];
    } else if (!harmlessKinds.has(call.kind)) {
      for (const path of listPlaces(call)) {
        if (isAllowed) this.#paths.delete(path);
        else this.#paths.add(path);
      }
    }
  }

  /** Whether this would do what was refused. */
  covers(call: RefusableCall): boolean {
    if (call.command === undefined)
      return !harmlessKinds.has(call.kind) && listPlaces(call).some((path) => this.#paths.has(path));
    if (this.#commands.length === 0) return false;
    const line = lineInShell(call.command).trim();
    const runs = new Set(readCommand(line).possible.map((words) => JSON.stringify(words)));
    return this.#commands.some(
      (refused) =>
        refused.line === line || (refused.commands.length > 0 && refused.commands.every((words) => runs.has(words))),
    );
  }
}

/** The paths that the call shows it would change, by their names too, or else all that its input names. */
function listPlaces({ targets, targetNames, paths }: RefusableCall): readonly string[] {
  return targets.length > 0
    ? [...new Set([...targets, ...targetNames])]
    : paths.filter((path) => !path.endsWith(unknownPath));
}

function readRefused(command: string): RefusedCommand {
  const line = lineInShell(command).trim();
  const commands = (readCommand(line).plain ?? []).flatMap(
    ({ words, inner }) => inner?.map((each) => each.words) ?? [words],
  );
  // By its name, so that `/bin/rm x` and `rm x` are the same.
  return { line, commands: commands.map(([program = "", ...rest]) => JSON.stringify([nameProgram(program), ...rest])) };
}
