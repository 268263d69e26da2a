// Finds which of many paths exist, again for every command. A folder's entries are read again only if the folder has changed, so this takes
// only a few system calls.
import { lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fold } from "../policy/policy.ts";

interface Listing {
  readonly changed: number;
  readonly inode: number;
  readonly names: FolderNames;
}

/** The names in a folder; `unknown` where it cannot be listed but looked into. */
type FolderNames =
  | "missing"
  | "unknown"
  | { readonly exact: ReadonlySet<string>; readonly folded: ReadonlySet<string> };

/** A folder's time of change is coarse: a listing that is younger than this may already be out of date with the same time. */
const settledMs = 1000;

const listings = new Map<string, Listing>();

interface Folder<T> {
  readonly path: string;
  /** The folder above it and its name in there, where that is asked about too. */
  readonly above: { readonly path: string; readonly name: Name } | undefined;
  readonly entries: readonly { readonly name: Name; readonly entry: T }[];
}

interface Name {
  readonly path: string;
  readonly exact: string;
  readonly folded: string;
}

/** Gives those of the entries whose path exists now. */
export type PresentPaths<T> = () => T[];

/** An entry that `needsFolder` is given also while only its folder exists. */
export function presentPaths<T extends { readonly path: string }>(
  entries: readonly T[],
  needsFolder: (entry: T) => boolean = () => false,
): PresentPaths<T> {
  const folders = groupByFolder(entries);
  return () => {
    const known = new Map<string, FolderNames>();
    return folders.flatMap(({ path, above, entries: inside }) => {
      const around = above === undefined ? "unknown" : (known.get(above.path) ?? "missing");
      if (above !== undefined && !isIn(around, above.name)) return [];
      const names = readNames(path);
      known.set(path, names);
      // A link that leads nowhere is a folder as soon as its target is made.
      const isThere = names !== "missing" || (inside.some(({ entry }) => needsFolder(entry)) && exists(path));
      return inside.flatMap(({ name, entry }) => (isIn(names, name) || (isThere && needsFolder(entry)) ? [entry] : []));
    });
  };
}

/** A file system may ignore letter case: then a name in another one is the same. */
function isIn(names: FolderNames, { path, exact, folded }: Name): boolean {
  if (names === "missing") return false;
  if (names === "unknown") return exists(path);
  return names.exact.has(exact) || (names.folded.has(folded) && exists(path));
}

/** Parents before children, and none between that could be missing unnoticed. */
function groupByFolder<T extends { readonly path: string }>(entries: readonly T[]): Folder<T>[] {
  const byFolder = Map.groupBy(entries, ({ path }) => dirname(path));
  return [...byFolder]
    .toSorted(([a], [b]) => a.length - b.length)
    .map(([path, inside]) => ({
      path,
      above: byFolder.has(dirname(path)) ? { path: dirname(path), name: splitPath(path) } : undefined,
      entries: inside.map((entry) => ({ name: splitPath(entry.path), entry })),
    }));
}

function splitPath(path: string): Name {
  const exact = basename(path);
  return { path, exact, folded: fold(exact) };
}

function readNames(folder: string): FolderNames {
  const status = readStatus(folder);
  if (status === undefined) return "missing";
  const known = listings.get(folder);
  if (known?.changed === status.ctimeMs && known.inode === status.ino) return known.names;
  const names = listing(folder);
  if (Date.now() - status.ctimeMs > settledMs)
    listings.set(folder, { changed: status.ctimeMs, inode: status.ino, names });
  return names;
}

function readStatus(folder: string): Stats | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false });
  } catch {
    return undefined; // not ours to look into, nor a command's
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // likewise
  }
}

function listing(folder: string): FolderNames {
  try {
    const names = readdirSync(folder);
    return { exact: new Set(names), folded: new Set(names.map(fold)) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOTDIR" ? "missing" : "unknown";
  }
}
