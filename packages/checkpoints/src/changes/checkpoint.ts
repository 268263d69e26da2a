// Defines a checkpoint, and the state of a path in one.
import type { BytePath } from "./paths.ts";

/** A folder as it was at one moment. */
export interface Checkpoint {
  readonly commit: string;
  readonly tree: string;
  readonly modes: Modes;
  /** Why the content at these paths is not in it. */
  readonly notKept: ReadonlyMap<BytePath, string>;
}

/** Permission bits: what files and programs usually have, and those that have others. */
export interface Modes {
  readonly file: number;
  readonly program: number;
  readonly odd: ReadonlyMap<BytePath, number>;
}

/** One path at one moment: type and permission bits, and git's id of the content. */
export interface FileState {
  readonly mode: number;
  readonly sha: string;
}

export interface PathChange {
  readonly path: BytePath;
  /** Where it was before, for what git takes for a rename. */
  readonly oldPath?: BytePath;
  /** Null where there was nothing. */
  readonly before: FileState | null;
  readonly after: FileState | null;
}

/** The mode of an entry whose content was not kept: git's mode for a commit, which is nothing else here. */
export const notKeptMode = 0o160000;

/** As git decides it. */
export function isExecutable(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

/** The state of an entry of git's trees; null for one that is no file and no link. */
export function readFileState(mode: string, sha: string, path: BytePath, modes: Modes): FileState | null {
  switch (mode) {
    case "100644":
      return { mode: 0o100000 | (modes.odd.get(path) ?? modes.file), sha };
    case "100755":
      return { mode: 0o100000 | (modes.odd.get(path) ?? modes.program), sha };
    case "120000":
      return { mode: 0o120000, sha };
    case "160000":
      return { mode: notKeptMode, sha };
    default:
      return null;
  }
}
