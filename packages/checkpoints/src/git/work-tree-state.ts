// Reads the state of a work tree with git: its branch, how far it is from another one, and which files are not committed. Nothing that the
// repository or a submodule names is run, also when an agent changes their settings in the same moment.
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { GitFile, GitStateRow } from "@signalbox/protocol";
import { GitError, git, splitAtZeros } from "../changes/git-process.ts";
import { toText } from "../changes/paths.ts";
import { findRepository, type Repository } from "../changes/repository.ts";
import { PrivateGitDirs } from "./private-git-dir.ts";
import { readConfig, selectFileSettings } from "./repository-config.ts";

/** More of them say no more. */
const defaultMaxFiles = 2000;
/** For one work tree with all of its submodules. */
const timeoutMs = 10_000;

interface StateOptions {
  /** The branch that is compared with where there is no upstream. */
  readonly base?: string | null | undefined;
  readonly maxFiles?: number;
  /** Looks for submodules also where no .gitmodules names them, which takes longer. */
  readonly everySubmodule?: boolean;
}

interface Look extends Pick<StateOptions, "maxFiles" | "everySubmodule"> {
  /** When git must have answered, by `performance.now()`. */
  readonly deadline: number;
}

/** Runs git in one repository, which is only read. */
type ReadGit = (args: readonly string[]) => Promise<Buffer>;

export class GitStates {
  readonly #places: PrivateGitDirs;

  constructor(dataFolder: string) {
    this.#places = new PrivateGitDirs(dataFolder);
  }

  /** Null where the folder is in no repository. Throws a GitError when git cannot tell. */
  async read(folder: string, { base, ...options }: StateOptions = {}): Promise<GitStateRow | null> {
    const repository = await findRepository(folder);
    if (repository.user === null) return null;
    const look = { ...options, deadline: performance.now() + timeoutMs };
    return await this.#readRepository(repository, look, async (run) => {
      const { upstream, ...state } = await this.#readStatus(repository, look, run);
      const { top } = repository;
      const inside = relative(top, repository.folder);
      const place = { ...state, top, prefix: inside === "" ? "" : `${inside}/` };
      if (upstream !== null || base === undefined || base === null || state.head === null)
        return { ...place, compared_to: upstream };
      return { ...place, ...(await compare(run, base)) };
    });
  }

  async #readRepository<Result>(
    { top, user }: Repository,
    { deadline }: Look,
    work: (run: ReadGit) => Promise<Result>,
  ): Promise<Result> {
    if (user === null) throw new GitError(`${top} is in no repository`);
    const entries = await readConfig(top, computeTimeLeft(deadline));
    return await this.#places.use(user, async ({ gitDir, index, branch }) => {
      const run: ReadGit = async (args) =>
        await git(args, {
          gitDir,
          index,
          workTree: top,
          cwd: top,
          settings: {
            withUserConfig: true,
            without: ["core.autocrlf", "core.safecrlf", "core.sparseCheckout"],
            exact: selectFileSettings(entries, branch),
          },
          timeoutMs: computeTimeLeft(deadline),
        });
      return await work(run);
    });
  }

  async #readStatus({ top }: Repository, look: Look, run: ReadGit): Promise<Status> {
    // Git itself would run in each submodule, with the settings that are there.
    const complete = ["--ignore-submodules=dirty", "--untracked-files=all"];
    const output = await run(["status", "--porcelain=v2", "--branch", "--null", ...complete]);
    const status = parseStatus(output.toString("utf8"), look.maxFiles);
    const changed = await this.#findChangedSubmodules(top, look, run);
    const isKnown = new Set(status.files.map(({ path }) => path));
    const more = changed.filter((path) => !isKnown.has(path)).map((path): GitFile => ({ path, status: "modified" }));
    return { ...status, dirty: status.dirty + more.length, files: [...status.files, ...more] };
  }

  /** The submodules that have files which are not committed. */
  async #findChangedSubmodules(top: string, look: Look, run: ReadGit): Promise<readonly string[]> {
    if (look.everySubmodule !== true && !existsSync(join(top, ".gitmodules"))) return [];
    const changed: string[] = [];
    for (const entry of splitAtZeros(await run(["ls-files", "--stage", "-z"]))) {
      if (!entry.startsWith("160000")) continue;
      const path = toText(entry.slice(entry.indexOf("\t") + 1));
      const folder = join(top, path);
      if (!existsSync(join(folder, ".git"))) continue;
      const repository = await findRepository(folder);
      if (repository.user === null || repository.top === top) continue;
      const { files } = await this.#readRepository(repository, look, (inside) =>
        this.#readStatus(repository, look, inside),
      );
      if (files.length > 0) changed.push(path);
    }
    return changed;
  }
}

function computeTimeLeft(deadline: number): number {
  const left = Math.ceil(deadline - performance.now());
  if (left <= 0) throw new GitError(`git took longer than ${timeoutMs / 1000} s`);
  return left;
}

/** Nothing is known where the other branch is gone. */
async function compare(run: ReadGit, base: string): Promise<Pick<GitStateRow, "compared_to" | "ahead" | "behind">> {
  try {
    const output = await run(["rev-list", "--left-right", "--count", `refs/heads/${base}...HEAD`]);
    const [behind, ahead] = output.toString("utf8").trimEnd().split("\t");
    return { compared_to: base, ahead: Number(ahead), behind: Number(behind) };
  } catch (error) {
    if (error instanceof GitError) return { compared_to: null, ahead: null, behind: null };
    throw error;
  }
}

type Status = Omit<GitStateRow, "top" | "prefix" | "compared_to"> & { readonly upstream: string | null };

/** Reads the output of `git status --porcelain=v2 --branch --null`. */
export function parseStatus(output: string, maxFiles = defaultMaxFiles): Status {
  const headers = new Map<string, string>();
  const files: GitFile[] = [];
  let count = 0;
  const parts = output.split("\0");
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? "";
    const header = /^# branch\.(\S+) (.*)$/s.exec(part);
    if (header !== null) headers.set(header[1] ?? "", header[2] ?? "");
    const isRenamed = part.startsWith("2 ");
    const file = toFile(part, isRenamed ? (parts[index + 1] ?? "") : undefined);
    if (isRenamed) index++;
    if (file === null) continue;
    count++;
    if (files.length < maxFiles) files.push(file);
  }
  const { oid, head, upstream, ab } = Object.fromEntries(headers) as Partial<Record<string, string>>;
  const counts = /^\+(\d+) -(\d+)$/.exec(ab ?? "");
  return {
    branch: head === undefined || head === "(detached)" ? null : head,
    head: oid === undefined || oid === "(initial)" ? null : oid,
    upstream: counts === null ? null : (upstream ?? null),
    ahead: counts === null ? null : Number(counts[1]),
    behind: counts === null ? null : Number(counts[2]),
    dirty: count,
    files,
  };
}

const statuses: Readonly<Record<string, GitFile["status"]>> = { A: "added", D: "deleted", R: "renamed", C: "added" };

function toFile(line: string, oldPath: string | undefined): GitFile | null {
  switch (line[0]) {
    case "1":
    case "2": {
      const fields = line.split(" ");
      const [staged = ".", unstaged = "."] = fields[1] ?? "";
      const path = fields.slice(line[0] === "1" ? 8 : 9).join(" ");
      // A file that is new in the index and gone from the disk differs in two ways; what is on the disk counts.
      const letter = unstaged === "." || unstaged === "M" || unstaged === "T" ? staged : unstaged;
      const status = statuses[letter] ?? "modified";
      return oldPath === undefined ? { path, status } : { path, status, old_path: oldPath };
    }
    case "u":
      return { path: line.split(" ").slice(10).join(" "), status: "conflicted" };
    case "?":
      return { path: line.slice(2), status: "untracked" };
    default:
      return null;
  }
}
