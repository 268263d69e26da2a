// Reads the settings of a repository, and divides them: those that name programs, and those that only say how files are compared.
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { GitError, git } from "../changes/git-process.ts";
import { toText } from "../changes/paths.ts";

interface ConfigEntry {
  /** Where it is set: system, global, local, worktree, or command for what we pass ourselves. */
  readonly scope: string;
  readonly name: string;
  readonly value: string;
}

export type Setting = readonly [name: string, value: string];

/** As they are now; an agent may change them in the next moment. Throws a GitError also where one of them names a pipe or a device as a file of rules. */
export async function readConfig(folder: string, timeoutMs?: number): Promise<readonly ConfigEntry[]> {
  const args = ["config", "--list", "--null", "--show-scope"];
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const entries = parseConfig(await git(args, { cwd: folder, settings: { withUserConfig: true }, ...limit }));
  for (const entry of entries)
    if (isOfRepository(entry) && /^core\.(attributes|excludes)file$/.test(entry.name))
      refuseEndless(resolve(folder, entry.value.replace(/^~(?=\/)/, homedir())));
  return entries;
}

/** Git reads rules to their end, which a device such as /dev/zero does not have: it took 4 GB in three seconds. */
export function refuseEndless(file: string): void {
  if (file === "/dev/null") return; // some name it so that there are no rules
  const isPlain = statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
  if (!isPlain) throw new GitError(`${file} is not a regular file, and git would read rules from it`);
}

/** Reads the output of `git config --list --null --show-scope`. */
export function parseConfig(output: Buffer): readonly ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  // A name need not be text: bytes that are none stay what they are.
  const parts = output.toString("latin1").split("\0").map(toText);
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [scope = "", entry = ""] = parts.slice(index, index + 2);
    const end = entry.indexOf("\n");
    // A name without a value stands for true.
    entries.push({
      scope,
      name: end < 0 ? entry : entry.slice(0, end),
      value: end < 0 ? "true" : entry.slice(end + 1),
    });
  }
  return entries;
}

/**
 * Settings that take back every filter and merge driver that the repository's own config names, where the user's own config has no such one:
 * then files are as they are stored, and a merge that needs the driver is a conflict. Throws a GitError for a name that cannot be passed on.
 */
export function overridePrograms(entries: readonly ConfigEntry[]): readonly Setting[] {
  const own = new Map<string, string>();
  const foreign = new Set<string>();
  for (const entry of entries) {
    if (!/^(filter\.|merge\..*\.driver$)/is.test(entry.name)) continue;
    if (!isOfRepository(entry)) own.set(entry.name, entry.value);
    else if (entry.name.isWellFormed()) foreign.add(entry.name);
    else throw new GitError("the repository's settings name a filter or merge driver whose name is not text");
  }
  return [...foreign].map(
    (name) => [name, own.get(name) ?? (/\.(required|driver)$/.test(name) ? "false" : "")] as const,
  );
}

const aboutFiles =
  /^(core\.(autocrlf|eol|safecrlf|ignorecase|excludesfile|attributesfile|sparsecheckout|sparsecheckoutcone)|(status|diff)\.(renames|renamelimit))$/;

/** The repository's own settings that a look at its files needs. None of them names a program, whatever its value is. */
export function selectFileSettings(entries: readonly ConfigEntry[], branch: string | null): readonly Setting[] {
  const own = entries.filter(isOfRepository);
  const ofBranch = (key: string) => own.findLast(({ name }) => name === `branch.${branch}.${key}`);
  const upstream = [ofBranch("remote"), ofBranch("merge")].filter((entry) => entry !== undefined);
  const remote = ofBranch("remote")?.value;
  const fetched = own.findLast(({ name }) => name === `remote.${remote}.fetch`);
  return [
    ...own.filter(({ name }) => aboutFiles.test(name)),
    ...upstream,
    ...(fetched === undefined ? [] : [fetched]),
  ].map(({ name, value }) => [name, value] as const);
}

function isOfRepository({ scope }: ConfigEntry): boolean {
  return scope === "local" || scope === "worktree";
}
