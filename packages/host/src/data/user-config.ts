// The user's config.json as it is now: read at the start, again when the file changed, and after a change that was made on the page.
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Config, ConfigError, loadConfig, type MergedConfig, type UserConfig } from "@signalbox/config";
import type { ConfigChange } from "@signalbox/config/edit";
import { HostError, StartError } from "./host-error.ts";

export class LiveConfig implements UserConfig {
  readonly file: string;
  #current: UserConfig;
  #readAt: string;
  #problem: string | null = null;
  readonly #listeners = new Set<(config: Config) => void>();

  /** Throws a StartError when the file is wrong. */
  constructor(dataFolder: string) {
    this.file = join(dataFolder, "config.json");
    this.#readAt = makeStamp(this.file);
    this.#current = readUserConfig(dataFolder);
  }

  get config(): Config {
    return this.#current.config;
  }

  inProject(folder: string): MergedConfig {
    return this.#current.inProject(folder);
  }

  /** Why the file as it is now cannot be used; what was read before it then still holds. */
  get problem(): string | null {
    return this.#problem;
  }

  onChange(listener: (config: Config) => void): void {
    this.#listeners.add(listener);
  }

  /** Reads the file again if somebody changed it. */
  refresh(): void {
    const stamp = makeStamp(this.file);
    if (stamp === this.#readAt) return;
    this.#readAt = stamp;
    try {
      this.#current = loadConfig(this.file);
      this.#problem = null;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#problem = error.message;
      return;
    }
    for (const listener of this.#listeners) listener(this.config);
  }

  /** Writes all changes into the file, or none. Throws a HostError that says why not. */
  async edit(changes: readonly ConfigChange[]): Promise<void> {
    const { editConfigFile } = await import("@signalbox/config/edit");
    try {
      editConfigFile(this.file, changes);
    } catch (error) {
      if (error instanceof ConfigError) throw new HostError("conflict", error.message, { cause: error });
      throw new HostError("unavailable", `${this.file} cannot be changed: ${(error as Error).message}.`, {
        cause: error,
      });
    }
    this.refresh();
  }
}

/** Throws a StartError when the file is wrong. */
export function readUserConfig(dataFolder: string): UserConfig {
  try {
    return loadConfig(join(dataFolder, "config.json"));
  } catch (error) {
    throw error instanceof ConfigError ? new StartError(error.message, { cause: error }) : error;
  }
}

/** Differs after every change of the file. */
function makeStamp(file: string): string {
  const known = statSync(file, { throwIfNoEntry: false, bigint: true });
  return known === undefined ? "" : `${known.ino} ${known.size} ${known.mtimeNs}`;
}
