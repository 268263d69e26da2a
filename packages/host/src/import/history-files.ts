// The files below a folder that a history may be in, oldest first, so that an import goes on where the time does.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

export async function historyFiles(folder: string, isHistory: (path: string) => boolean): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isHistory);
  const changed = await Promise.all(paths.map(async (path) => (await stat(path).catch(() => null))?.mtimeMs ?? 0));
  return paths
    .map((path, index) => ({ path, time: changed[index] ?? 0 }))
    .toSorted((first, second) => first.time - second.time || first.path.localeCompare(second.path))
    .map(({ path }) => path);
}
