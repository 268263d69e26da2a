// Reads the user's config.json from the data folder.
import { join } from "node:path";
import { ConfigError, loadConfig, type UserConfig } from "@signalbox/config";
import { StartError } from "./host-error.ts";

/** Throws a StartError when the file is wrong. */
export function readUserConfig(dataFolder: string): UserConfig {
  try {
    return loadConfig(join(dataFolder, "config.json"));
  } catch (error) {
    throw error instanceof ConfigError ? new StartError(error.message, { cause: error }) : error;
  }
}
