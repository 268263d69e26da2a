// Puts planned files back on the disk: each only if it is still what the plan says, and never through a link that was swapped in.
import { messageOf } from "@signalbox/protocol";
import type { Entry, FolderEntries } from "@signalbox/sandbox";
import { type FileState, isExecutable } from "./checkpoint.ts";
import type { ImportedEntry } from "./fast-import.ts";
import { limits } from "./guards.ts";
import { type BytePath, foldersAbove, toBytes, toText } from "./paths.ts";
import { areSame, type Conflict, type PlannedFile } from "./restore-plan.ts";
import type { Store } from "./store.ts";

/** A planned file with the content that it gets back; null removes it. */
export interface PreparedFile extends PlannedFile {
  readonly content: Buffer | null;
}

interface PutBackResult {
  readonly done: readonly PreparedFile[];
  readonly conflicts: readonly Conflict[];
}

interface Place {
  readonly entries: FolderEntries;
  readonly store: Pick<Store, "hash">;
  /** The folders that there were then: they stay, also when they are empty now. */
  readonly foldersThen: ReadonlySet<BytePath>;
  /** Folders that are older stay too, in ms. */
  readonly since: number;
}

const folderReason = "A folder is there now.";

export function putBack(place: Place, files: readonly PreparedFile[]): PutBackResult {
  const done: PreparedFile[] = [];
  const conflicts: Conflict[] = [];
  const isRemoved = ({ content }: PreparedFile) => content === null;
  // Removals come first, the deepest path first, because a file may take the place of a folder.
  const removals = files.filter(isRemoved).toSorted((a, b) => (a.path < b.path ? 1 : -1));
  for (const file of [...removals, ...files.filter((each) => !isRemoved(each))]) {
    const reason = put(place, file);
    if (reason === null) done.push(file);
    else conflicts.push({ path: file.path, reason });
  }
  return { done, conflicts };
}

/** A folder with more than this counts as one that holds other files. */
const treeLimits = { entries: 10_000, depth: 100 };

/** Separates files that can be put back from those whose place is taken. Changes nothing. */
export function separateObstructed(
  entries: FolderEntries,
  files: readonly PreparedFile[],
): { readonly files: readonly PreparedFile[]; readonly conflicts: readonly Conflict[] } {
  const removed = new Set(files.filter(({ content }) => content === null).map(({ path }) => path));
  const conflicts = files.flatMap(({ path, content }): Conflict[] => {
    if (content === null) return [];
    const above = foldersAbove(path).find((folder) => {
      const status = entries.status(toBytes(folder));
      return status !== undefined && !status.isDirectory() && !removed.has(folder);
    });
    if (above !== undefined) return [{ path, reason: `${toText(above)} is no folder now.` }];
    const below = entries.filesBelow(toBytes(path), treeLimits);
    const isBlocked = below?.every((file) => removed.has(file.toString("latin1"))) !== true;
    return isBlocked ? [{ path, reason: folderReason }] : [];
  });
  const blocked = new Set(conflicts.map(({ path }) => path));
  return { files: files.filter(({ path }) => !blocked.has(path)), conflicts };
}

/** Converts a file that was put back to its entry in the next checkpoint; null if it was removed. */
export function toImportedEntry({ earlier, content }: PreparedFile): ImportedEntry | null {
  if (earlier === null || content === null) return null;
  if (earlier.mode === 0o120000) return { type: "link", target: content };
  return { type: "file", bytes: content, isExecutable: isExecutable(earlier.mode) };
}

/** Returns why the file could not be put back; null if it was. */
function put(place: Place, { path, now, earlier, content }: PreparedFile): string | null {
  const { entries, store } = place;
  const at = toBytes(path);
  try {
    const found = entries.read(at, limits.trackedBytes); // a bigger one is in no checkpoint
    if (found.type === "folder") {
      if (now !== null || !entries.removeEmptyFolder(at)) return folderReason;
    } else if (!isStill(readState(found, store), now)) return "It was changed while files were put back.";
    if (earlier === null || content === null) {
      entries.removeFile(at);
      removeEmptyFolders(place, path);
    } else if (earlier.mode === 0o120000) entries.writeLink(at, content);
    else if (now !== null && now.mode !== 0o120000 && now.sha === store.hash("blob", content))
      entries.setMode(at, earlier.mode);
    else entries.writeFile(at, content, earlier.mode);
    return null;
  } catch (error) {
    return `It could not be put back: ${messageOf(error)}`;
  }
}

/** Removes the folders that the thread made and that are empty now. */
function removeEmptyFolders({ entries, foldersThen, since }: Place, path: BytePath): void {
  for (const folder of foldersAbove(path)) {
    const isOlder = (entries.status(toBytes(folder))?.birthtimeMs ?? 0) < since;
    if (foldersThen.has(folder) || isOlder || !entries.removeEmptyFolder(toBytes(folder))) return;
  }
}

function isStill(found: FileState | null | undefined, expected: FileState | null): boolean {
  return found !== undefined && areSame(found, expected);
}

/** Undefined for what is no file and no link, or cannot be read. */
function readState(entry: Entry, store: Pick<Store, "hash">): FileState | null | undefined {
  if (entry.type === "missing") return null;
  if (entry.type === "file") return { mode: 0o100000 | entry.mode, sha: store.hash("blob", entry.bytes) };
  return entry.type === "link" ? { mode: 0o120000, sha: store.hash("blob", entry.target) } : undefined;
}
