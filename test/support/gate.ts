// A place in a script where the fake agent waits until the test lets it go on: no time is right for a fast and for a busy machine.
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Step } from "./fake-agent/script.ts";

let gates = 0;

export class Gate {
  readonly #pipe: string;

  /** `folder` is one that no agent works in. */
  constructor(folder: string) {
    this.#pipe = join(folder, `gate-${++gates}`);
    execFileSync("mkfifo", [this.#pipe]);
  }

  /** The agent waits here. */
  get step(): Step {
    return { shell: `read line < '${this.#pipe}'` };
  }

  /** Resolves when the agent was there and goes on. */
  async open(): Promise<void> {
    await writeFile(this.#pipe, "\n");
  }
}
