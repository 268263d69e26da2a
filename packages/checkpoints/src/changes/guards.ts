// Decides what is too much to be kept: big files, and floods of new files.
import { type BytePath, foldersAbove } from "./paths.ts";

export const limits = {
  /** A file that the user's repository does not track. */
  untrackedBytes: 10 * 1024 * 1024,
  trackedBytes: 100 * 1024 * 1024,
  /** New files in one folder, all below it included. */
  newFiles: 2000,
  /** The same for the first look at a folder without a repository, where every file is new. */
  firstFiles: 20_000,
} as const;

export const notKeptLink = "Git keeps no link of this name.";

export function explainBigFile(bytes: number): string {
  return `It has ${Math.round(bytes / 1024 / 1024)} MB, which is more than is kept.`;
}

interface Flood {
  /** The folder; empty for the thread's own, of which only the files directly in it are meant. */
  readonly folder: BytePath;
  readonly count: number;
}

/** Leaves out the folders nearest to the top that have more new files than are kept. */
export function separateFloods(
  paths: readonly BytePath[],
  isFirst: boolean,
): { readonly kept: readonly BytePath[]; readonly floods: readonly Flood[] } {
  const most = isFirst ? limits.firstFiles : limits.newFiles;
  if (paths.length <= most) return { kept: paths, floods: [] };
  const counts = new Map<BytePath, number>();
  for (const path of paths) for (const folder of foldersAbove(path)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  const flooded = new Map<BytePath, number>();
  const direct: BytePath[] = [];
  const rest: BytePath[] = [];
  for (const path of paths) {
    const folder = foldersAbove(path).findLast((above) => (counts.get(above) ?? 0) > most);
    if (folder !== undefined) flooded.set(folder, counts.get(folder) ?? 0);
    else if (path.includes("/")) rest.push(path);
    else direct.push(path);
  }
  const floods = [...flooded].map(([folder, count]) => ({ folder, count }));
  // Many folders with some files each are a flood too.
  if (rest.length + direct.length > limits.firstFiles) {
    return { kept: [], floods: [...floods, { folder: "", count: rest.length + direct.length }] };
  }
  if (direct.length <= most) return { kept: [...rest, ...direct], floods };
  return { kept: rest, floods: [...floods, { folder: "", count: direct.length }] };
}
