// Decides what becomes of a thread's worktree when the thread is deleted: nothing that a person could miss is removed.

import type { Worktrees } from "@signalbox/checkpoints";
import type { RequestParams, ThreadRow } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";

export type Deletion = Pick<RequestParams<"session.delete">, "discard" | "dry_run">;

interface ThreadWorktree {
  readonly worktree: string;
  readonly project: string;
}

/** Null where the thread has no worktree, or another thread works in it too: a fork, for example. */
export async function findWorktree(
  register: Pick<Register, "query">,
  thread: ThreadRow,
): Promise<ThreadWorktree | null> {
  const { worktree, project } = thread.git ?? {};
  if (worktree === undefined || project === undefined) return null;
  let cursor: string | undefined;
  do {
    const { rows, next_cursor } = await register.query("threads.list", { cwd: thread.cwd, cursor });
    if (rows.some(({ id, git }) => id !== thread.id && git?.worktree === worktree)) return null;
    cursor = next_cursor;
  } while (cursor !== undefined);
  return { worktree, project };
}

/** Throws a conflict with the files that would be lost. */
export async function refuseLoss(worktrees: Worktrees, own: ThreadWorktree): Promise<void> {
  const files = await worktrees.listUncommitted(own);
  if (files.length === 0) return;
  const count = files.length === 1 ? "One file" : `${files.length} files`;
  throw new HostError(
    "conflict",
    `${count} in the worktree ${own.worktree} would be lost: not committed. Commit them, or delete the thread with what is in its worktree.`,
    { details: { files: [...files] } },
  );
}
