// Gives commands caches that they can write: package managers and compilers fail without one, and the sandbox closes the home folder.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const variables: Readonly<Record<string, string>> = {
  npm_config_cache: "npm",
  YARN_CACHE_FOLDER: "yarn",
  PIP_CACHE_DIR: "pip",
  UV_CACHE_DIR: "uv",
  GOCACHE: "go-build",
};

/** The variables for a command, with caches in a part of the data folder that every mode can write. Makes the folder on the first call. */
export function cacheVariables(dataFolder: string): () => Readonly<Record<string, string>> {
  const folder = join(dataFolder, "workspace", "cache");
  const env = Object.fromEntries(Object.entries(variables).map(([name, below]) => [name, join(folder, below)]));
  let made = false;
  return () => {
    if (!made) mkdirSync(folder, { recursive: true });
    made = true;
    return env;
  };
}
