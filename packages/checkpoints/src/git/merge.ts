// Merges the branch of a thread's worktree into the branch that it was made from: whole, or not at all.
import type { GitResult, ThreadRow } from "@signalbox/protocol";
import { HostError } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { RepositoryGit } from "./repository-git.ts";
import { runUserGit } from "./user-git.ts";
import type { GitStates } from "./work-tree-state.ts";
import { checkOwnWorktree } from "./worktree-check.ts";

/** Throws a HostError when nothing was merged, with `details.files` where files are the reason, or with what git printed in `details.output`. */
export async function mergeWorktree(
  { register, gitStates }: { readonly register: Pick<Register, "query">; readonly gitStates: GitStates },
  thread: ThreadRow,
): Promise<GitResult> {
  const { worktree, project, base } = thread.git ?? {};
  if (worktree === undefined || project === undefined)
    throw new HostError("bad_request", "This thread has no worktree.");
  if (base === undefined || base === null)
    throw new HostError("conflict", "The worktree was made from a commit and not from a branch. Merge it with git.");
  const branch = await findBranchToMerge(gitStates, thread, { worktree, project });
  const target = await gitStates.read(project);
  if (target === null) throw new HostError("conflict", `${project} is in no git repository any more.`);
  if (target.branch !== base)
    throw new HostError("conflict", `${project} is not on the branch ${base} now. Check it out there first.`);
  const busy = await register.query("threads.list", { cwd: project, status: "running", limit: 1 });
  if (busy.rows.length > 0) throw new HostError("conflict", `A turn runs in ${project}. Merge when it has ended.`);
  const git = await RepositoryGit.open(target.top);
  if (await hasRef(git, "MERGE_HEAD"))
    throw new HostError("conflict", `A merge is under way in ${project}. Finish it first.`);
  const conflicts = await findConflicts(git, base, branch);
  if (conflicts.length > 0) {
    const message = `${base} changed the same places. Nothing was merged. Merge ${base} into ${branch}, in the worktree, and try again.`;
    throw new HostError("conflict", message, { details: { files: [...conflicts] } });
  }
  const { code, output } = await runUserGit(target.top, [
    "merge",
    "-m",
    `Merge branch '${branch}'`,
    `refs/heads/${branch}`,
  ]);
  if (code === 0) return { commit: await git.readText(["rev-parse", "HEAD"]), output };
  // A hook refused after the files were merged: they are put back.
  if (await hasRef(git, "MERGE_HEAD")) await git.run(["merge", "--abort"]);
  throw new HostError("conflict", "Nothing was merged: git or a hook refused.", { details: { output } });
}

async function findBranchToMerge(
  gitStates: GitStates,
  { status }: ThreadRow,
  { worktree, project }: { readonly worktree: string; readonly project: string },
): Promise<string> {
  if (status === "running" || status === "waiting")
    throw new HostError("conflict", "A turn runs in this thread. Merge when it has ended.");
  const state = await gitStates.read(worktree, { everySubmodule: true });
  if (state === null) throw new HostError("conflict", `The worktree ${worktree} is gone.`);
  await checkOwnWorktree({ worktree, project }, state.top);
  if (state.branch === null)
    throw new HostError("conflict", "The worktree is on no branch, so there is none to merge.");
  if (state.files.length === 0) return state.branch;
  const files = state.files.map(({ path }) => path);
  throw new HostError("conflict", "The worktree has work that is not committed. Commit it first.", {
    details: { files },
  });
}

/** The files in which a merge would conflict. */
async function findConflicts(git: RepositoryGit, base: string, branch: string): Promise<readonly string[]> {
  const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z"];
  const output = await git.readText([...args, `refs/heads/${base}`, `refs/heads/${branch}`], { codes: [0, 1] });
  // The tree comes first; nothing follows where nothing conflicts.
  const [, ...files] = output.split("\0").filter((part) => part !== "");
  return [...new Set(files)];
}

async function hasRef(git: RepositoryGit, name: string): Promise<boolean> {
  return (await git.readText(["rev-parse", "--quiet", "--verify", name], { codes: [0, 1] })) !== "";
}
