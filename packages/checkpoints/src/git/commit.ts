// Commits some files of a thread's work tree, as the user's own `git commit` would. What else is staged stays staged.
import { type GitResult, HostError, type RequestParams, type ThreadRow } from "@signalbox/protocol";
import { findRepository } from "../changes/repository.ts";
import { RepositoryGit } from "./repository-git.ts";
import { runUserGit } from "./user-git.ts";
import type { GitStates } from "./work-tree-state.ts";
import { checkOwnWorktree } from "./worktree-check.ts";

type CommitRequest = Pick<RequestParams<"git.commit">, "message" | "paths">;

/** Throws a HostError, with what git and the hooks printed in `details.output`, when nothing was committed. */
export async function commitFiles(
  gitStates: GitStates,
  { cwd, status, git: own }: ThreadRow,
  request: CommitRequest,
): Promise<GitResult> {
  if (status === "running" || status === "waiting")
    throw new HostError("conflict", "A turn runs in this thread. Commit when it has ended.");
  const { top, user } = await findRepository(cwd);
  await checkOwnWorktree(own ?? {}, top);
  const state = user === null ? null : await gitStates.read(top, { maxFiles: Number.POSITIVE_INFINITY });
  if (state === null) throw new HostError("bad_request", `${cwd} is in no git repository.`);
  const files = new Map(state.files.map((file) => [file.path, file]));
  const chosen = request.paths.map((path) => {
    const file = files.get(path);
    if (file === undefined) throw new HostError("conflict", `${path} has nothing to commit. Look again.`);
    return file;
  });
  const git = await RepositoryGit.open(top);
  const fresh = chosen.filter(({ status: each }) => each === "untracked").map(({ path }) => path);
  const listed = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  // A commit of some files takes only those that git knows.
  if (fresh.length > 0)
    await git.run(["add", "--intent-to-add", ...listed], { input: makePathspecs(fresh), isLiteral: false });
  const paths = chosen.flatMap(({ path, old_path: old }) => (old === undefined ? [path] : [path, old]));
  const args = ["commit", "--only", `--message=${request.message}`, ...listed];
  const { code, output } = await runUserGit(top, args, makePathspecs(paths));
  if (code !== 0) {
    if (fresh.length > 0)
      await git.run(["reset", "--quiet", ...listed], { input: makePathspecs(fresh), isLiteral: false });
    throw new HostError("conflict", "Nothing was committed: git or a hook refused.", { details: { output } });
  }
  return { commit: await git.readText(["rev-parse", "HEAD"]), output };
}

function makePathspecs(paths: readonly string[]): string {
  return paths.map((path) => `:(top,literal)${path}\0`).join("");
}
