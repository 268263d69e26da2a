// Keeps long outputs in files that the model can read, until the session ends. Commands can write in that folder too, so every write is
// checked, and only files with a name of our own are removed.
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Policy, writeFileAtomic } from "@signalbox/sandbox";

/** The oldest gives way to the newest. */
const maxFiles = 20;

export class KeptOutputs {
  readonly #folder: string;
  readonly #policy: () => Policy;
  readonly #files: string[] = [];

  /** `home` is Signalbox's own folder. */
  constructor(home: string, policy: () => Policy) {
    this.#folder = join(home, "workspace", "outputs");
    this.#policy = policy;
  }

  /** Undefined when it could not be written: the disk is full, or somebody made something else of the folder. */
  async keep(text: string): Promise<string | undefined> {
    const path = join(this.#folder, `${randomUUID()}.txt`);
    try {
      await writeFileAtomic(this.#policy(), path, text);
    } catch {
      return undefined;
    }
    this.#files.push(path);
    if (this.#files.length > maxFiles) await this.#remove(this.#files.splice(0, 1));
    return path;
  }

  async close(): Promise<void> {
    await this.#remove(this.#files.splice(0));
  }

  async #remove(paths: readonly string[]): Promise<void> {
    await Promise.all(paths.map((path) => rm(path, { force: true }).catch(() => {})));
  }
}
