// Decides what of a home folder shows in the sandbox: programs and what package managers have downloaded, read-only. Everything else is not there, so
// that no list of secrets has to be complete, and a secret that appears later does not appear inside.
import { accessSync, constants, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { pathFolders } from "../find-executable.ts";
import { isInside } from "./policy.ts";
import { type Platform, systemFolders } from "./protected-paths.ts";

/** Folders that hold programs and no settings or keys. Never a whole folder that also has those: `.cargo/bin`, not `.cargo`. */
const toolchains: readonly string[] = [
  ".local/bin",
  ".local/lib",
  ".local/share/pnpm",
  ".local/share/uv/tools",
  ".local/share/uv/python",
  ".local/share/pipx",
  ".local/pipx",
  ".local/share/mise/installs",
  ".local/share/mise/shims",
  ".local/share/fnm",
  ".local/share/claude",
  ".nvm",
  ".fnm",
  ".nodenv",
  ".volta",
  ".npm-global/bin",
  ".npm-global/lib",
  ".bun/bin",
  ".bun/install/global",
  ".deno/bin",
  ".opencode/bin",
  ".pyenv",
  ".rbenv",
  ".rvm",
  ".asdf/installs",
  ".asdf/shims",
  ".sdkman/candidates",
  ".jenv",
  ".goenv",
  "go/bin",
  ".cargo/bin",
  ".rustup",
  ".ghcup",
  ".opam",
  ".elan",
  ".dotnet/tools",
  ".dotnet/sdk",
  ".dotnet/shared",
  ".dotnet/host",
  ".gem/ruby",
  ".linuxbrew",
  "Library/pnpm",
];

/** Packages and browsers that were downloaded before. Tools read them here, and write to caches of Signalbox. */
const downloads: readonly string[] = [
  ".cargo/registry",
  ".cargo/git",
  "go/pkg/mod",
  ".m2/repository",
  ".gradle/caches",
  ".gradle/wrapper/dists",
  ".cache/ms-playwright",
  ".cache/puppeteer",
  ".cache/node/corepack",
  "Library/Caches/ms-playwright",
];

/** The home folders of this person: the one that the environment names, and the one that the system knows. Not `/`, or one that holds the system. */
export function listHomeFolders(platform: Platform, named: string | undefined): readonly string[] {
  const folders = named === undefined ? [homedir(), findSystemHome()] : [named];
  return [...new Set(folders)].filter(
    (folder) =>
      folder.startsWith("/") && folder !== "/" && !systemFolders(platform).some((each) => isInside(each, folder)),
  );
}

function findSystemHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return ""; // a user without an entry, as in some containers
  }
}

/** Absolute paths, whether they exist or not. */
export function listShownFolders(home: string, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return [
    ...[...toolchains, ...downloads].map((name) => join(home, name)),
    ...pathFolders(env)
      .filter((folder) => isInside(folder, home) && isProgramFolder(folder, home))
      .flatMap(listPrograms),
  ];
}

/** Programs in `bin` often load what is in the `lib` beside it. */
function listPrograms(folder: string): readonly string[] {
  const isBin = basename(folder) === "bin" && dirname(folder) !== homedir();
  return isBin ? [folder, join(dirname(folder), "lib")] : [folder];
}

/** A folder of the PATH counts only if all files in it can be run: not the home folder itself, and no folder of settings or documents. */
function isProgramFolder(folder: string, home: string): boolean {
  try {
    if (isInside(home, realpathSync(folder))) return false;
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isDirectory());
    return files.length > 0 && files.every(({ name }) => isProgram(join(folder, name)));
  } catch {
    return false;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return !(statSync(path, { throwIfNoEntry: false })?.isFile() ?? false); // a link that leads nowhere
  }
}

/** In the home folder: for a minute, a file is in it that opens the page for the browser. */
export const openedPageFolder = "signalbox-open";

/** The entries of a home folder that a workspace which holds it shows: those that people see when they list it. */
export function listVisibleEntries(home: string): readonly string[] {
  try {
    return readdirSync(home)
      .filter((name) => !name.startsWith(".") && !name.startsWith(openedPageFolder))
      .map((name) => join(home, name));
  } catch {
    return [];
  }
}
