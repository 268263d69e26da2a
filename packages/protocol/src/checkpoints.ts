// Declares what the register keeps about checkpoints and git: whether a thread has checkpoints, and those of each turn.
import { type Column, jsonObject } from "./columns.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";

/** Whether what the thread changes on the disk is kept, so that it can be shown and put back. */
export type ThreadCheckpoints = {
  readonly on: boolean;
  /** Why not, or what is not kept; for a person. */
  readonly reason?: string;
};

export const threadCheckpoints: Column<ThreadCheckpoints | null> = {
  ...jsonObject,
  read: (stored) => toThreadCheckpoints(jsonObject.read(stored)),
};

/** The git repository of the thread's folder, as it was when a turn last ended or when somebody last asked. */
export type ThreadGit = {
  /** Null when HEAD is a commit and no branch. */
  readonly branch: string | null;
  /** The thread's own worktree, where it has one: its top folder. */
  readonly worktree?: string;
  /** With a worktree: the folder that the thread was started in, of which it has a copy. */
  readonly project?: string;
  /** With a worktree: the branch that was checked out there when it was made; null when none was. */
  readonly base?: string | null;
  /** The branch that `ahead` and `behind` are counted against: the upstream branch, or else `base`. Null if there is neither. */
  readonly compared_to?: string | null;
  /** Commits that only this branch has, and that only the other one has; null when that is not known. */
  readonly ahead?: number | null;
  readonly behind?: number | null;
  /** How many files are not committed, new ones included; null when that is not known. */
  readonly dirty?: number | null;
};

export const threadGit: Column<ThreadGit | null> = {
  ...jsonObject,
  read: (stored) => toThreadGit(jsonObject.read(stored)),
};

/** A file, or a folder with too many files, whose content is not in a checkpoint. */
export type SkippedFile = {
  readonly path: string;
  readonly reason: string;
};

/** The thread's folder as it was when a prompt was sent and when its turn ended. */
export type TurnCheckpoint = {
  /** Ids of commits in the store; null where no checkpoint could be made. */
  readonly before: string | null;
  readonly after: string | null;
  /**
   * Only of a turn in which Signalbox was killed: the folder as it was found afterwards. `after` then has the changes that are certainly of the turn; anyone
   * may have made the rest.
   */
  readonly found?: string;
  /** How many files differ between the two; null while the turn runs, and where one of them is missing. */
  readonly files_changed: number | null;
  readonly not_kept: readonly SkippedFile[];
  /** A notice for the person, such as a full disk; null when all is well. */
  readonly notice: string | null;
};

export const turnCheckpoint: Column<TurnCheckpoint | null> = {
  ...jsonObject,
  read: (stored) => toTurnCheckpoint(jsonObject.read(stored)),
};

function toThreadCheckpoints(value: JsonObject | null): ThreadCheckpoints | null {
  if (value === null) return null;
  const { on, reason } = value;
  return typeof reason === "string" ? { on: on === true, reason } : { on: on === true };
}

function toThreadGit(value: JsonObject | null): ThreadGit | null {
  if (value === null) return null;
  const { branch, worktree, project, base, compared_to, ahead, behind, dirty } = value;
  return {
    branch: textOrNull(branch),
    ...(typeof worktree === "string" ? { worktree } : {}),
    ...(typeof project === "string" ? { project } : {}),
    ...(base === undefined ? {} : { base: textOrNull(base) }),
    ...(compared_to === undefined ? {} : { compared_to: textOrNull(compared_to) }),
    ...(ahead === undefined ? {} : { ahead: numberOrNull(ahead) }),
    ...(behind === undefined ? {} : { behind: numberOrNull(behind) }),
    ...(dirty === undefined ? {} : { dirty: numberOrNull(dirty) }),
  };
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function numberOrNull(value: Json | undefined): number | null {
  return typeof value === "number" ? value : null;
}

function toTurnCheckpoint(value: JsonObject | null): TurnCheckpoint | null {
  if (value === null) return null;
  const { before, after, found, files_changed, not_kept, notice } = value;
  return {
    before: typeof before === "string" ? before : null,
    after: typeof after === "string" ? after : null,
    ...(typeof found === "string" ? { found } : {}),
    files_changed: typeof files_changed === "number" ? files_changed : null,
    not_kept: Array.isArray(not_kept) ? not_kept.filter(isNotKept) : [],
    notice: typeof notice === "string" ? notice : null,
  };
}

function isNotKept(value: Json): value is SkippedFile {
  return isJsonObject(value) && typeof value.path === "string" && typeof value.reason === "string";
}
