// Reads the state of a work tree with git: its branch, how far it is from another one, and which files are not committed.
import { relative } from "node:path";
import type { GitFile, GitStateRow } from "@signalbox/protocol";
import { GitError } from "../changes/git-process.ts";
import { findRepository } from "../changes/repository.ts";
import { RepositoryGit } from "./repository-git.ts";

/** More of them say no more. */
const defaultMaxFiles = 2000;
const timeoutMs = 10_000;

interface StateOptions {
  /** The branch that is compared with where there is no upstream. */
  readonly base?: string | null | undefined;
  readonly maxFiles?: number;
}

/** Null where the folder is in no repository. Throws a GitError when git cannot tell. */
export async function readGitState(folder: string, options: StateOptions = {}): Promise<GitStateRow | null> {
  const repository = await findRepository(folder);
  if (repository.user === null) return null;
  const git = await RepositoryGit.open(folder);
  const complete = ["--ignore-submodules=none", "--untracked-files=all"];
  const args = ["status", "--porcelain=v2", "--branch", "--null", ...complete];
  const { upstream, ...state } = parseStatus((await git.run(args, { timeoutMs })).toString("utf8"), options.maxFiles);
  const { top } = repository;
  const inside = relative(top, repository.folder);
  const place = { ...state, top, prefix: inside === "" ? "" : `${inside}/` };
  if (upstream !== null || options.base === undefined || options.base === null || state.head === null)
    return { ...place, compared_to: upstream };
  return { ...place, ...(await compare(git, options.base)) };
}

/** Nothing is known where the other branch is gone. */
async function compare(
  git: RepositoryGit,
  base: string,
): Promise<Pick<GitStateRow, "compared_to" | "ahead" | "behind">> {
  try {
    const range = `refs/heads/${base}...HEAD`;
    const [behind, ahead] = (await git.text(["rev-list", "--left-right", "--count", range], { timeoutMs })).split("\t");
    return { compared_to: base, ahead: Number(ahead), behind: Number(behind) };
  } catch (error) {
    if (error instanceof GitError) return { compared_to: null, ahead: null, behind: null };
    throw error;
  }
}

type Status = Omit<GitStateRow, "top" | "prefix" | "compared_to"> & { readonly upstream: string | null };

/** What `git status --porcelain=v2 --branch --null` printed. */
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
