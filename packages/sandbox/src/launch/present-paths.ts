// Finds which of many paths exist, again for every command. A folder's entries are read again only if the folder has changed, so this takes
// only a few system calls.
import { readdirSync, type Stats, statSync } from "node:fs";
import { basename, dirname } from "node:path";

interface Listing {
  readonly changed: number;
  readonly inode: number;
  readonly names: ReadonlySet<string>;
}

/** A folder's time of change is coarse: a listing that is younger than this may already be out of date with the same time. */
const settledMs = 1000;

const listings = new Map<string, Listing>();

interface Folder<T> {
  readonly path: string;
  /** The folder above it and its name in there, where that is asked about too. */
  readonly above: { readonly path: string; readonly name: string } | undefined;
  readonly entries: readonly { readonly name: string; readonly entry: T }[];
}

/** Gives those of the entries whose path exists now. */
export type PresentPaths<T> = () => T[];

export function presentPaths<T extends { readonly path: string }>(entries: readonly T[]): PresentPaths<T> {
  const folders = foldersOf(entries);
  return () => {
    const names = new Map<string, ReadonlySet<string>>();
    return folders.flatMap(({ path, above, entries: inside }) => {
      if (above !== undefined && names.get(above.path)?.has(above.name) !== true) return [];
      const present = readNames(path);
      names.set(path, present);
      return inside.flatMap(({ name, entry }) => (present.has(name) ? [entry] : []));
    });
  };
}

/** Parents before children, and none between that could be missing unnoticed. */
function foldersOf<T extends { readonly path: string }>(entries: readonly T[]): Folder<T>[] {
  const byFolder = Map.groupBy(entries, ({ path }) => dirname(path));
  return [...byFolder]
    .toSorted(([a], [b]) => a.length - b.length)
    .map(([path, inside]) => ({
      path,
      above: byFolder.has(dirname(path)) ? { path: dirname(path), name: basename(path) } : undefined,
      entries: inside.map((entry) => ({ name: basename(entry.path), entry })),
    }));
}

function readNames(folder: string): ReadonlySet<string> {
  const status = statusOf(folder);
  if (status === undefined) return new Set();
  const known = listings.get(folder);
  if (known?.changed === status.ctimeMs && known.inode === status.ino) return known.names;
  const names = new Set(listing(folder));
  if (Date.now() - status.ctimeMs > settledMs)
    listings.set(folder, { changed: status.ctimeMs, inode: status.ino, names });
  return names;
}

function statusOf(folder: string): Stats | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false });
  } catch {
    return undefined; // not ours to look into, nor a command's
  }
}

function listing(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
