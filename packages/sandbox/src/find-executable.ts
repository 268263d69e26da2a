// Finds a program on the PATH, or in the usual folders of package managers. Never in the project's folder, which may not be trusted.
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";

/** The folders of the PATH. A relative one would be a folder of the project. */
export function pathFolders(env: NodeJS.ProcessEnv): readonly string[] {
  return (env.PATH ?? "").split(delimiter).filter(isAbsolute);
}

/** Folders of package managers that are often missing from the PATH of a program that was not started in a terminal. */
export function usualFolders(home: string = homedir()): readonly string[] {
  return [
    ...[".local/bin", ".npm-global/bin", ".bun/bin", ".volta/bin", ".cargo/bin", ".opencode/bin", ".deno/bin"].map(
      (folder) => join(home, folder),
    ),
    join(home, ".local/share/pnpm"),
    join(home, "Library/pnpm"),
    dirname(process.execPath),
    "/usr/local/bin",
    "/opt/homebrew/bin",
  ];
}

/** The path of the first program with this name, as it is in its folder; null when there is none. */
export function findExecutable(name: string, env: NodeJS.ProcessEnv): string | null {
  const candidates = [...pathFolders(env), ...usualFolders()].map((folder) => join(folder, name));
  return candidates.find((candidate) => executableFile(candidate) !== null) ?? null;
}

/** The file itself, links followed; null when it is not a file that may be run. */
export function executableFile(path: string): string | null {
  try {
    // Most folders do not have it, and an exception for each would be slow.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
    accessSync(path, constants.X_OK);
    return realpathSync(path);
  } catch {
    return null;
  }
}
