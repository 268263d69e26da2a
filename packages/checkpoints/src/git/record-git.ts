// Reads the state of a thread's work tree and records it in the thread's row, where it differs from what the row has.
import { isDeepStrictEqual } from "node:util";
import type { GitStateRow, ThreadGit } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { GitError } from "../changes/git-process.ts";
import type { GitStates } from "./work-tree-state.ts";

/** Null where the thread's folder is in no repository. Throws a GitError when git cannot tell, and records that it is not known. */
export async function recordGitState(
  { register, gitStates }: { readonly register: Pick<Register, "getThread" | "append">; readonly gitStates: GitStates },
  threadId: string,
): Promise<GitStateRow | null> {
  const thread = await register.getThread(threadId);
  if (thread === null) return null;
  const { git, cwd } = thread;
  const record = (next: ThreadGit | null) => {
    if (!isDeepStrictEqual(next, git))
      register.append(threadId, { type: "fact", fact: { type: "git_changed", git: next } });
  };
  const { worktree, project, base } = git ?? {};
  // The worktree, project and base that the thread began with stay; the rest is read again.
  const own = {
    ...(worktree === undefined ? {} : { worktree }),
    ...(project === undefined ? {} : { project }),
    ...(base === undefined ? {} : { base }),
  };
  try {
    const state = await gitStates.read(cwd, { base });
    if (state === null) {
      record(worktree === undefined ? null : { branch: null, ...own, ...unknown });
      return null;
    }
    const { branch, compared_to, ahead, behind, dirty } = state;
    record({ branch, ...own, compared_to, ahead, behind, dirty });
    return state;
  } catch (error) {
    if (error instanceof GitError) record({ branch: git?.branch ?? null, ...own, ...unknown });
    throw error;
  }
}

const unknown = { compared_to: null, ahead: null, behind: null, dirty: null } as const;
