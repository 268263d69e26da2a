// What was allowed in the running turn, so that an agent that asked and then writes or runs through us is not asked about twice.
import { resolve } from "node:path";
import type { Subject } from "./rule.ts";

export class Grants {
  #commands = new Set<string>();
  #paths = new Set<string>();

  /** A new turn begins with nothing granted. */
  clear(): void {
    this.#commands = new Set();
    this.#paths = new Set();
  }

  add({ command, paths, cwd }: Subject): void {
    if (command !== null) this.#commands.add(command);
    for (const path of paths) this.#paths.add(resolve(cwd, path));
  }

  covers({ command, paths, cwd }: Subject): boolean {
    if (command !== null) return this.#commands.has(command);
    return paths.length > 0 && paths.every((path) => this.#paths.has(resolve(cwd, path)));
  }
}
