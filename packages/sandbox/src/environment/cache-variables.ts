// Gives commands caches that they can write: package managers and compilers fail without one, and the sandbox closes the home folder.
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Enforcement } from "../enforcement/enforcement.ts";
import type { NetworkAccess } from "../policy/policy.ts";

const always: Readonly<Record<string, string>> = {
  npm_config_cache: "npm",
  YARN_CACHE_FOLDER: "yarn",
  YARN_GLOBAL_FOLDER: "yarn-berry",
  PIP_CACHE_DIR: "pip",
  UV_CACHE_DIR: "uv",
  GOCACHE: "go-build",
};

/** Without the network these tools use what you have downloaded before, which they can read. To download they need a place of their own. */
const toDownload: Readonly<Record<string, string>> = {
  CARGO_HOME: "cargo",
  GOMODCACHE: "go-mod",
  COREPACK_HOME: "corepack",
  pnpm_config_store_dir: "pnpm",
  GRADLE_USER_HOME: "gradle",
};

export interface CacheUse {
  readonly enforcement: Enforcement;
  readonly policy: { readonly network: NetworkAccess };
}

/**
 * The variables for a command, with caches in a part of the data folder that every mode can write. Makes the folder on the first call. A command
 * outside the sandbox gets none: it has the usual ones, and must not obey settings that a command inside left in a cache.
 */
export function cacheVariables(dataFolder: string): (use: CacheUse) => Readonly<Record<string, string>> {
  const folder = join(dataFolder, "workspace", "cache");
  const below = (names: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(names).map(([name, entry]) => [name, join(folder, entry)]));
  const [usual, downloads] = [below(always), { ...below(always), ...below(toDownload), ...mavenVariables(folder) }];
  let made = false;
  return ({ enforcement, policy }) => {
    if (enforcement.kind === "off") return {};
    if (!made) mkdirSync(folder, { recursive: true });
    made = true;
    return policy.network === "off" ? usual : { ...downloads, ...browserVariables(folder) };
  };
}

/** Maven can read one repository behind another. Older versions than 3.9 ignore the variable. */
function mavenVariables(folder: string): Readonly<Record<string, string>> {
  const repositories = [
    `-Dmaven.repo.local=${join(folder, "maven")}`,
    `-Dmaven.repo.local.tail=${join(homedir(), ".m2/repository")}`,
  ];
  return repositories.some((option) => /\s/.test(option)) ? {} : { MAVEN_ARGS: repositories.join(" ") };
}

/** Browsers that you have installed can be used as they are. Only where there are none, Playwright needs a place for them. */
function browserVariables(folder: string): Readonly<Record<string, string>> {
  const own = [".cache/ms-playwright", "Library/Caches/ms-playwright"].some((name) =>
    existsSync(join(homedir(), name)),
  );
  return own ? {} : { PLAYWRIGHT_BROWSERS_PATH: join(folder, "playwright") };
}
