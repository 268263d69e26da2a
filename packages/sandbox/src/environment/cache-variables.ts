// Gives commands what they would find in the home folder, which is empty in the sandbox: caches that they can write, and git's settings.
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Enforcement } from "../enforcement/enforcement.ts";
import type { NetworkAccess } from "../policy/policy.ts";
import { gitIdentityVariables } from "./git-identity.ts";

const always: Readonly<Record<string, string>> = {
  npm_config_cache: "npm",
  YARN_CACHE_FOLDER: "yarn",
  YARN_GLOBAL_FOLDER: "yarn-berry",
  PIP_CACHE_DIR: "pip",
  UV_CACHE_DIR: "uv",
  GOCACHE: "go-build",
  // These two write also where they only read. Of pnpm's, the first two are for version 11 and newer, the last for older ones.
  pnpm_config_store_dir: "pnpm",
  pnpm_config_cache_dir: "pnpm-metadata",
  PNPM_HOME: "pnpm",
  GRADLE_USER_HOME: "gradle",
  // Headless Chromium makes its profile here. Its usual place is hidden, because log-ins are there.
  CHROME_CONFIG_HOME: "chrome",
};

/**
 * These tools use what you have downloaded before, which they can read. To download they need a place of their own; what a command has downloaded
 * there is used from then on, also without the network.
 */
const toDownload: Readonly<Record<string, string>> = {
  CARGO_HOME: "cargo",
  GOMODCACHE: "go-mod",
  COREPACK_HOME: "corepack",
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
  const usual = { ...below(folder, Object.entries(always)), ...gradleVariables(), ...browserVariables(folder) };
  let made = false;
  return ({ enforcement, policy }) => {
    if (enforcement.kind === "off") return {};
    if (!made) mkdirSync(folder, { recursive: true });
    made = true;
    const isOff = policy.network === "off";
    const used = (name: string) => !isOff || existsSync(join(folder, name));
    return {
      ...usual,
      ...gitIdentityVariables(dataFolder),
      ...below(
        folder,
        Object.entries(toDownload).filter(([, name]) => used(name)),
      ),
      ...(used("maven") && mavenVariables(folder)),
      ...(isOff && used("go-mod") && goWithoutNetwork()),
    };
  };
}

function below(folder: string, names: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map(([name, entry]) => [name, join(folder, entry)]));
}

/** Gradle can read the packages of one cache behind another, from version 6.2 on. */
function gradleVariables(): Readonly<Record<string, string>> {
  const own = join(homedir(), ".gradle/caches");
  return existsSync(join(own, "modules-2")) ? { GRADLE_RO_DEP_CACHE: own } : {};
}

/** Go takes what you have downloaded before for a server of packages. */
function goWithoutNetwork(): Readonly<Record<string, string>> {
  const own = join(homedir(), "go/pkg/mod/cache/download");
  return existsSync(own) ? { GOPROXY: `${pathToFileURL(own).href},off` } : {};
}

/** Maven can read one repository behind another, from version 3.9 on, which also reads MAVEN_ARGS. Older ones get the first option by way of Java's. */
function mavenVariables(folder: string): Readonly<Record<string, string>> {
  const repository = `-Dmaven.repo.local=${join(folder, "maven")}`;
  const behind = `-Dmaven.repo.local.tail=${join(homedir(), ".m2/repository")}`;
  if ([repository, behind].some((option) => /\s/.test(option))) return {};
  return {
    MAVEN_ARGS: `${repository} ${behind}`,
    ...(process.env.MAVEN_OPTS === undefined && { MAVEN_OPTS: repository }),
  };
}

/** Browsers that you have installed can be used as they are. Only where there are none, Playwright needs a place for them. */
function browserVariables(folder: string): Readonly<Record<string, string>> {
  const own = [".cache/ms-playwright", "Library/Caches/ms-playwright"].some((name) =>
    existsSync(join(homedir(), name)),
  );
  return own ? {} : { PLAYWRIGHT_BROWSERS_PATH: join(folder, "playwright") };
}
