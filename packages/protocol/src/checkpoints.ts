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

/** The git repository of the thread's folder. */
export type ThreadGit = {
  /** Null when HEAD is a commit and no branch. */
  readonly branch: string | null;
  /** The folder of the thread's own worktree, where it has one. */
  readonly worktree?: string;
};

export const threadGit: Column<ThreadGit | null> = {
  ...jsonObject,
  read: (stored) => toThreadGit(jsonObject.read(stored)),
};

/** A file, or a folder with too many files, whose content is not in a checkpoint. */
export type NotKept = {
  readonly path: string;
  readonly reason: string;
};

/** The thread's folder as it was when a prompt was sent and when its turn ended. */
export type TurnCheckpoint = {
  /** Ids of commits in the store; null where no checkpoint could be made. */
  readonly before: string | null;
  readonly after: string | null;
  /** How many files differ between the two; null while the turn runs, and where one of them is missing. */
  readonly files_changed: number | null;
  readonly not_kept: readonly NotKept[];
  /** What a person should know about it, such as a full disk; null when all is well. */
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
  const branch = typeof value.branch === "string" ? value.branch : null;
  return typeof value.worktree === "string" ? { branch, worktree: value.worktree } : { branch };
}

function toTurnCheckpoint(value: JsonObject | null): TurnCheckpoint | null {
  if (value === null) return null;
  const { before, after, files_changed, not_kept, notice } = value;
  return {
    before: typeof before === "string" ? before : null,
    after: typeof after === "string" ? after : null,
    files_changed: typeof files_changed === "number" ? files_changed : null,
    not_kept: Array.isArray(not_kept) ? not_kept.filter(isNotKept) : [],
    notice: typeof notice === "string" ? notice : null,
  };
}

function isNotKept(value: Json): value is NotKept {
  return isJsonObject(value) && typeof value.path === "string" && typeof value.reason === "string";
}
