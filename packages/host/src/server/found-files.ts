// Finds files to mention inside a thread's folder, and folders to start a thread in. Stops after a fixed number of entries.
import { type Dirent, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";

const maxVisited = 20_000;
const maxResults = 50;
/** Folders whose files a person does not mention. */
const skippedFolders = new Set([
  "node_modules",
  ".git",
  "dist",
  "build",
  "target",
  ".venv",
  "__pycache__",
  ".next",
  ".cache",
]);

/** Paths below `folder` that contain the query's letters in order, best match first, without those that a rule hides. */
export function findFiles(
  folder: string,
  query: string,
  isHidden: (path: string) => boolean,
): readonly { path: string; name: string }[] {
  const wanted = query.toLowerCase();
  const found: { path: string; score: number }[] = [];
  const folders = [folder];
  let visited = 0;
  for (let next = folders.shift(); next !== undefined && visited < maxVisited; next = folders.shift()) {
    for (const entry of listEntries(next)) {
      visited++;
      const path = join(next, entry.name);
      if (entry.isDirectory() && !skippedFolders.has(entry.name)) folders.push(path);
      if (!entry.isFile() || isHidden(path)) continue;
      const score = scoreMatch(relative(folder, path).toLowerCase(), wanted);
      if (score !== null) found.push({ path, score });
    }
  }
  return found
    .toSorted((a, b) => a.score - b.score || a.path.length - b.path.length)
    .slice(0, maxResults)
    .map(({ path }) => ({ path, name: relative(folder, path) }));
}

/** Those of the paths that are files in the folder, by their path from there. A path may be absolute. */
export function checkFiles(folder: string, paths: readonly string[]): readonly { path: string; name: string }[] {
  return paths.flatMap((path) => {
    const name = relative(folder, resolve(folder, path));
    if (name === "" || name === ".." || name.startsWith("../") || path.includes("\0")) return [];
    try {
      return statSync(join(folder, name)).isFile() ? [{ path, name }] : [];
    } catch {
      return []; // not there, or not ours to look at
    }
  });
}

/** Folders that begin like the text; `~` is the home folder. */
export function completeFolder(text: string): readonly { path: string }[] {
  const whole = text === "~" || text.startsWith("~/") ? join(homedir(), text.slice(1)) : text;
  if (!whole.startsWith("/")) return [];
  const parent = whole.endsWith("/") ? whole : dirname(whole);
  const start = whole.endsWith("/") ? "" : basename(whole);
  return listEntries(parent)
    .filter(
      (entry) => entry.isDirectory() && entry.name.startsWith(start) && (start !== "" || !entry.name.startsWith(".")),
    )
    .map((entry) => ({ path: join(parent, entry.name) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, maxResults);
}

/** Lower is better: in the file's name before in its folders; null when the letters are not there in order. */
function scoreMatch(path: string, wanted: string): number | null {
  const name = basename(path);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = 0;
  for (const letter of wanted) {
    at = path.indexOf(letter, at) + 1;
    if (at === 0) return null;
  }
  return 3;
}

function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
