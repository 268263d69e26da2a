// Makes and removes the git worktrees of threads. They lie in the data folder; their repositories are the user's, in which nothing is run and
// nothing is changed but the branch and git's own list of worktrees.

import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { SerialQueue } from "@signalbox/base";
import { HostError, messageOf, type ThreadGit } from "@signalbox/protocol";
import { GitError } from "../changes/git-process.ts";
import { findRepository, fingerprint } from "../changes/repository.ts";
import { findFreeName, makeBranchName, makeFolderName } from "./branch-name.ts";
import { RepositoryGit } from "./repository-git.ts";
import type { GitStates } from "./work-tree-state.ts";
import { isWorktreeOfProject } from "./worktree-check.ts";

interface NewWorktree {
  /** The folder in the worktree that stands for the one that was asked for. */
  readonly cwd: string;
  readonly git: ThreadGit & { readonly worktree: string };
  /** Takes it back, when its thread cannot begin. */
  readonly undo: () => Promise<void>;
}

interface WorktreePlace {
  readonly worktree: string;
  /** The folder of the repository that it was made of. */
  readonly project: string;
}

interface WorktreeRequest {
  readonly cwd: string;
  /** A branch that is there, or a new one; without it, a new one that is called like the title. */
  readonly branch: string | undefined;
  readonly title: string | null;
}

/** Checking out a large repository takes long. */
const checkoutMs = 10 * 60_000;

export class Worktrees {
  readonly #folder: string;
  readonly #states: GitStates;
  /** One after the other: two threads of one name get two branches. */
  readonly #queue = new SerialQueue();

  constructor(dataFolder: string, states: GitStates) {
    this.#folder = join(dataFolder, "worktrees");
    this.#states = states;
  }

  /** Makes a worktree for a thread. When that or `begin` fails, it throws and leaves nothing behind. */
  async use<Thread>(
    request: WorktreeRequest,
    begin: (place: Pick<NewWorktree, "cwd" | "git">) => Promise<Thread>,
  ): Promise<Thread> {
    const { cwd, git, undo } = await this.#queue.run(() => this.#add(request));
    try {
      return await begin({ cwd, git });
    } catch (error) {
      await undo();
      throw error;
    }
  }

  async #add({ cwd, branch: wanted, title }: WorktreeRequest): Promise<NewWorktree> {
    const repository = await findRepository(cwd);
    if (repository.user === null)
      throw new HostError("bad_request", `${cwd} is in no git repository, so there is nothing to make a worktree of.`);
    const { top, folder } = repository;
    const git = await RepositoryGit.open(top);
    const head = await git.readText(["rev-parse", "--quiet", "--verify", "HEAD^{commit}"], { codes: [0, 1, 128] });
    if (head === "")
      throw new HostError(
        "conflict",
        "The repository has no commit yet. A worktree begins from one: commit something.",
      );
    const base = (await git.readText(["symbolic-ref", "--quiet", "--short", "HEAD"], { codes: [0, 1] })) || null;
    const branches = await listBranches(git);
    if (wanted !== undefined) await checkBranch(git, branches, wanted);
    const branch = wanted ?? findFreeName(makeBranchName(title), (name) => isTaken(branches, name));
    const isNew = !branches.has(branch);
    const projectFolder = join(this.#folder, `${makeFolderName(basename(top))}-${fingerprint(top).slice(0, 8)}`);
    mkdirSync(projectFolder, { recursive: true, mode: 0o700 });
    const name = findFreeName(makeFolderName(branch), (each) => isThere(join(projectFolder, each)));
    const path = join(realpathSync(projectFolder), name);
    const undo = async () => {
      await remove(git, path);
      if (isNew) await git.run(["branch", "-D", "--", branch], { codes: [0, 1] }).catch(() => {});
    };
    try {
      const args = isNew ? ["--no-track", "-b", branch, "--", path, head] : ["--", path, branch];
      await git.run(["worktree", "add", ...args], { timeoutMs: checkoutMs });
    } catch (error) {
      await undo();
      throw new HostError("conflict", `The worktree could not be made: ${messageOf(error)}`, { cause: error });
    }
    const inside = join(path, relative(top, folder));
    // A link in the commit could lead anywhere.
    if (!existsSync(inside) || realpathSync(inside) !== inside) {
      await undo();
      throw new HostError(
        "conflict",
        `The last commit has no folder ${relative(top, folder)}, so a worktree has none.`,
      );
    }
    return { cwd: inside, git: { branch, worktree: path, project: folder, base }, undo };
  }

  /** Lists what would be lost with a worktree: uncommitted files, and commits that are on no branch. */
  async listUncommitted({ worktree, project }: WorktreePlace): Promise<readonly string[]> {
    if (!isThere(worktree)) return [];
    try {
      // Its .git is gone or leads elsewhere: whatever is in it is not in the project's repository.
      if (!(await isWorktreeOfProject(project, worktree))) return ["."];
      const state = await this.#states.read(worktree, { everySubmodule: true });
      if (state === null || realpathSync(state.top) !== realpathSync(worktree)) return ["."];
      const git = await RepositoryGit.open(worktree);
      const files = state.files.map(({ path }) => path);
      return files.length > 0 ? files : await listHidden(git, worktree, state.branch === null);
    } catch (error) {
      throw new HostError(
        "conflict",
        `It is not known whether ${worktree} has work that is not committed: ${messageOf(error)}`,
        { cause: error, details: { files: ["."] } },
      );
    }
  }

  /** Removes a worktree with everything in it; its branch stays. Only one that lies where this makes them. */
  async remove({ worktree, project }: WorktreePlace): Promise<void> {
    const home = isThere(this.#folder) ? realpathSync(this.#folder) : this.#folder;
    const above = dirname(worktree);
    if (dirname(above) !== home || resolve(worktree) !== worktree) return;
    // A link there leads to a folder that is not ours.
    if (isThere(above) && realpathSync(above) !== above) return;
    const git = isThere(project) ? await RepositoryGit.open(project).catch(() => null) : null;
    await remove(git, worktree);
  }
}

async function remove(git: RepositoryGit | null, path: string): Promise<void> {
  // Git follows a link, and would remove the worktree that it leads to.
  if (!isFolder(path)) rmSync(path, { force: true });
  // Twice: also one that is locked, or has submodules. Where git does not know it, the folder is removed alone.
  await git?.run(["worktree", "remove", "--force", "--force", "--", path]).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
  });
  rmSync(path, { recursive: true, force: true });
}

async function listBranches(git: RepositoryGit): Promise<ReadonlySet<string>> {
  const names = await git.readText(["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"]);
  return new Set(names.split("\n"));
}

/** Also where it only would be a folder of another one's name, or the other way round. */
function isTaken(branches: ReadonlySet<string>, name: string): boolean {
  const folded = name.toLowerCase();
  return [...branches].some((branch) => `${branch.toLowerCase()}/`.startsWith(`${folded}/`));
}

async function checkBranch(git: RepositoryGit, branches: ReadonlySet<string>, name: string): Promise<void> {
  // The last two mean the present commit.
  const isText = name.isWellFormed() && !name.includes("\0");
  const isName = isText && !name.startsWith("-") && name !== "HEAD" && name !== "@";
  const isValid = isName && (await isRefName(git, name));
  if (!isValid) throw new HostError("bad_request", `${name} cannot be the name of a branch.`);
  const used = await git.readText(["for-each-ref", "--format=%(worktreepath)", `refs/heads/${name}`]);
  if (branches.has(name) && used !== "")
    throw new HostError("conflict", `The branch ${name} is checked out in ${used}. Choose another one.`);
}

async function isRefName(git: RepositoryGit, name: string): Promise<boolean> {
  try {
    await git.run(["check-ref-format", `refs/heads/${name}`]);
    return true;
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Lists changes that `git status` does not show. */
async function listHidden(git: RepositoryGit, worktree: string, isDetached: boolean): Promise<readonly string[]> {
  const entries = (await git.run(["ls-files", "-v", "-z"])).toString("utf8").split("\0");
  // Git was told not to look at these.
  const unseen = entries.filter((entry) => /^[a-zS] /.test(entry)).map((entry) => entry.slice(2));
  const modules = await git.readText(["rev-parse", "--git-path", "modules"]);
  // The commits of a submodule lie in the worktree's own part of the repository, and go with it.
  if (isThere(resolve(worktree, modules))) unseen.push(".gitmodules");
  if (!isDetached) return unseen;
  const lost = await git.readText(["rev-list", "-n", "20", "HEAD", "--not", "--branches", "--tags", "--remotes"]);
  return [...unseen, ...lost.split("\n").filter((commit) => commit !== "")];
}
