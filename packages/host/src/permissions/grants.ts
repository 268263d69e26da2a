// What was allowed in the running turn, so that an agent that asked and then writes or runs through us is not asked about twice.
import { resolve } from "node:path";
import type { Subject } from "./rule.ts";

/** Kinds that only look: leave for these is leave to read, whatever command or file they name. */
const lookingKinds: ReadonlySet<string> = new Set(["read", "search", "think", "fetch"]);

export class Grants {
  readonly #commands = new Set<string>();
  readonly #read = new Set<string>();
  readonly #changed = new Set<string>();

  /** A new turn begins with nothing granted. */
  clear(): void {
    for (const granted of [this.#commands, this.#read, this.#changed]) granted.clear();
  }

  add({ kind, command, paths, cwd }: Subject): void {
    const isLooking = lookingKinds.has(kind);
    if (command !== null && !isLooking) this.#commands.add(command);
    for (const path of paths) {
      this.#read.add(resolve(cwd, path));
      if (!isLooking) this.#changed.add(resolve(cwd, path));
    }
  }

  covers({ kind, command, paths, cwd }: Subject): boolean {
    if (command !== null) return this.#commands.has(command);
    const granted = lookingKinds.has(kind) ? this.#read : this.#changed;
    return paths.length > 0 && paths.every((path) => granted.has(resolve(cwd, path)));
  }
}
