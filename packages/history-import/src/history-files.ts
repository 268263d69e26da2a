// Lists the files below a folder that may contain a history, oldest first.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

export async function listHistoryFiles(
  folder: string,
  isHistory: (path: string) => boolean,
): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isHistory);
  const changed = await Promise.all(paths.map(readModificationTime));
  return paths
    .map((path, index) => ({ path, time: changed[index] ?? 0 }))
    .toSorted((first, second) => first.time - second.time || first.path.localeCompare(second.path))
    .map(({ path }) => path);
}

/** In milliseconds since 1970; 0 if the file cannot be read. */
export async function readModificationTime(path: string): Promise<number> {
  const stats = await stat(path).catch(() => null);
  return Math.floor(stats?.mtimeMs ?? 0);
}
