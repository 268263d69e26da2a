// Package managers and compilers refuse to work when their cache cannot be written, and the sandbox keeps commands out of the home
// folder. Ours lies where every mode may write.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const variables: Readonly<Record<string, string>> = {
  npm_config_cache: "npm",
  YARN_CACHE_FOLDER: "yarn",
  PIP_CACHE_DIR: "pip",
  UV_CACHE_DIR: "uv",
  GOCACHE: "go-build",
};

/** The variables for a command; makes the folder on the first call. */
export function cacheVariables(home: string): () => Readonly<Record<string, string>> {
  const folder = join(home, "workspace", "cache");
  const env = Object.fromEntries(Object.entries(variables).map(([name, below]) => [name, join(folder, below)]));
  let made = false;
  return () => {
    if (!made) mkdirSync(folder, { recursive: true });
    made = true;
    return env;
  };
}
