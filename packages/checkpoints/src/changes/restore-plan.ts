// Decides what a restore does to each path, from the changes between checkpoints and who made them. Pure.
import { type FileState, notKeptMode, type PathChange } from "./checkpoint.ts";
import type { BytePath } from "./paths.ts";

/** The changes between two successive checkpoints. */
export interface Step {
  readonly changes: readonly PathChange[];
  readonly author: Author;
}

/** The thread; somebody else, between two turns or since the last one; or either of them. */
export type Author = "thread" | keyof typeof foreignReasons;

export interface PlannedFile {
  readonly path: BytePath;
  /** The state that must still be there, and the state to restore; null stands for no file. */
  readonly now: FileState | null;
  readonly earlier: FileState | null;
}

export interface Conflict {
  readonly path: BytePath;
  readonly reason: string;
}

interface RestorePlan {
  readonly files: readonly PlannedFile[];
  readonly conflicts: readonly Conflict[];
}

/** Why a path is not put back. */
export const foreignReasons = {
  between: "Somebody else changed it between two turns of this thread.",
  since: "It was changed after the last turn of this thread.",
  unknown: "It is not known who changed it: Signalbox was stopped in a turn, or a checkpoint is missing.",
} as const;

/** `wanted` limits it to some paths. */
export function planRestore(steps: readonly Step[], wanted?: ReadonlySet<BytePath>): RestorePlan {
  const known = new Map<
    BytePath,
    { earlier: FileState | null; now: FileState | null; isOwn: boolean; foreign: string | null }
  >();
  for (const { changes, author } of steps) {
    for (const { path, before, after } of changes) {
      const seen = known.get(path) ?? { earlier: before, now: after, isOwn: false, foreign: null };
      seen.now = after;
      // A path that the thread may have changed is a conflict. One that only others changed is none of the restore's business.
      if (author === "thread" || author === "unknown") seen.isOwn = true;
      if (author !== "thread") seen.foreign ??= foreignReasons[author];
      known.set(path, seen);
    }
  }
  const files: PlannedFile[] = [];
  const conflicts: Conflict[] = [];
  for (const [path, { earlier, now, isOwn, foreign }] of known) {
    if (!isOwn || (wanted !== undefined && !wanted.has(path)) || areSame(earlier, now)) continue;
    if (foreign !== null) conflicts.push({ path, reason: foreign });
    else if (earlier?.mode === notKeptMode) conflicts.push({ path, reason: "Its earlier content was not kept." });
    else if (now?.mode === notKeptMode)
      conflicts.push({ path, reason: "Its present content could not be kept, so this could not be undone." });
    else files.push({ path, now, earlier });
  }
  for (const path of wanted ?? []) {
    if (known.get(path)?.isOwn !== true) conflicts.push({ path, reason: "This thread did not change it since then." });
  }
  return { files: files.toSorted(comparePaths), conflicts: conflicts.toSorted(comparePaths) };
}

function comparePaths(a: { readonly path: BytePath }, b: { readonly path: BytePath }): number {
  return a.path < b.path ? -1 : 1;
}

export function areSame(a: FileState | null, b: FileState | null): boolean {
  return a === b || (a !== null && b !== null && a.sha === b.sha && a.mode === b.mode);
}
