// Checks that a thread's worktree still is the one that was made for it: a folder, and a worktree of the project's repository. An agent that runs
// outside of the sandbox can put something else in its place: a link, or a `.git` that leads to hooks of its choice.
import { lstatSync, realpathSync } from "node:fs";
import type { ThreadGit } from "@signalbox/protocol";
import { HostError } from "@signalbox/protocol";
import { repositoryOfWorktree } from "@signalbox/sandbox";
import { findRepository } from "../changes/repository.ts";

/** Also false where the project's repository is gone. */
export async function isWorktreeOfProject(project: string, worktree: string): Promise<boolean> {
  if (lstatSync(worktree, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const { user } = await findRepository(project);
  return user !== null && repositoryOfWorktree(worktree) === realpathSync(user.commonDir);
}

/** Throws a HostError before git runs hooks in a worktree that is not the thread's own any more. `top` is the work tree that git found. */
export async function checkOwnWorktree({ worktree, project }: Partial<ThreadGit>, top: string): Promise<void> {
  if (worktree === undefined || project === undefined) return;
  if (top === worktree && (await isWorktreeOfProject(project, worktree))) return;
  throw new HostError(
    "conflict",
    `${worktree} is no worktree of ${project} any more: its .git leads elsewhere, and git would run the hooks that are there. Look at it yourself.`,
  );
}
