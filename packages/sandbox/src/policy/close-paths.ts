// Closes single paths of a policy for one command: those that a rule of the user denies, and those of which the user refused a change in this turn.
import { type Dirent, lstatSync, type Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findRule } from "./decide.ts";
import type { Policy, Rule } from "./policy.ts";
import { listLinks, resolveRealPath } from "./real-path.ts";

export interface ClosedPath {
  /** Absolute. A link is followed. */
  readonly path: string;
  readonly access: "hidden" | "read";
  readonly name: Extract<Rule["name"], "user-rule" | "refused">;
}

/** What a rule closes. `path` is the one path that it means, with everything below; without it the folders are searched. */
interface Closure {
  readonly access: ClosedPath["access"];
  readonly matches: (path: string) => boolean;
  readonly path: string | undefined;
}

interface FoundPaths {
  readonly paths: readonly ClosedPath[];
  /** False where there are more entries or names than were found: then something may be open that is closed under another name. */
  readonly isComplete: boolean;
}

const maxSearched = 100_000;
/** Each is a mount in the sandbox. */
const maxClosed = 300;

const known = new WeakMap<Policy, { readonly key: string; readonly policy: Policy }>();

export function withClosedPaths(policy: Policy, closed: readonly ClosedPath[]): Policy {
  if (closed.length === 0) return policy;
  const rules = closed.flatMap((each) => makeRule(policy, each));
  const key = JSON.stringify(rules);
  const before = known.get(policy);
  if (before?.key === key) return before.policy;
  const made = { ...policy, rules: [...policy.rules, ...rules] };
  known.set(policy, { key, policy: made });
  return made;
}

function makeRule(policy: Policy, { path, access, name }: ClosedPath): readonly Rule[] {
  const real = resolveRealPath(path);
  if (!real.found) return [];
  // A guard must never open what is hidden.
  if (findRule(policy, real.path).access === "hidden") return [];
  if (access === "hidden" && exists(real.path)) return [{ path: real.path, access, name }];
  const end: Rule = exists(real.path)
    ? { path: real.path, access: "read", name, guard: "existing" }
    : { path: findFirstMissing(real.path), access: "read", name, guard: "absent" };
  // A command could put a file of its own in the place of a link on the way.
  return [...listLinks(path).map((link): Rule => ({ path: link, access: "read", name, guard: "existing" })), end];
}

/** A command could make the folders too, so the uppermost that is missing is guarded. */
function findFirstMissing(path: string): string {
  const parent = dirname(path);
  return parent === path || exists(parent) ? path : findFirstMissing(parent);
}

function exists(path: string): boolean {
  return readStatus(path) !== undefined;
}

function readStatus(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // in a folder that we cannot look into, nor can a command
  }
}

/**
 * Finds the paths in these folders that the closures mean, besides those that are known to be closed, and the other names of each file (hard links).
 * Repositories' own `.git` folders are searched for other names only.
 */
export async function findClosedPaths(
  folders: readonly string[],
  closures: readonly Closure[],
  closed: readonly ClosedPath[] = [],
  maxEntries = maxSearched,
): Promise<FoundPaths> {
  const found = await findMeantPaths(folders, closures, maxEntries);
  const paths = [...closed, ...found.paths];
  const others = await findOtherNames(folders, paths, maxEntries);
  return { paths: [...paths, ...others.paths], isComplete: found.isComplete && others.isComplete };
}

async function findMeantPaths(
  folders: readonly string[],
  closures: readonly Closure[],
  maxEntries: number,
): Promise<FoundPaths> {
  const name = "user-rule";
  const paths = closures.flatMap(({ path, access }): ClosedPath[] =>
    path === undefined ? [] : [{ path, access, name }],
  );
  const searched = closures.filter(({ path }) => path === undefined);
  if (searched.length === 0) return { paths, isComplete: true };
  const waiting = [...folders];
  let left = maxEntries;
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    for (const entry of await listEntries(folder)) {
      if (left-- <= 0 || paths.length > maxClosed) return { paths, isComplete: false };
      const path = join(folder, entry.name);
      const access = findAccess(searched, entry.isDirectory() ? join(path, anyEntry) : path);
      if (access !== undefined) paths.push({ path, access, name });
      if (access !== "hidden" && entry.isDirectory() && entry.name !== ".git") waiting.push(path);
    }
  }
  return { paths, isComplete: true };
}

/** A command of the same turn may have given a file a second name before its change was refused, so of such files all names have to be found. */
async function findOtherNames(
  folders: readonly string[],
  closed: readonly ClosedPath[],
  maxEntries: number,
): Promise<FoundPaths> {
  const files = new Map<string, { readonly closed: ClosedPath; readonly path: string; missing: number }>();
  for (const each of closed) {
    const real = resolveRealPath(each.path);
    const status = real.found ? readStatus(real.path) : undefined;
    if (real.found && status?.isFile() === true && status.nlink > 1)
      files.set(identify(status), { closed: each, path: real.path, missing: status.nlink - 1 });
  }
  const paths: ClosedPath[] = [];
  const waiting = files.size === 0 ? [] : [...folders];
  let left = maxEntries;
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    const entries = await listEntries(folder);
    left -= entries.length;
    if (left < 0) return { paths, isComplete: false };
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      if (!entry.isFile()) continue;
      const status = await lstat(path).catch(() => undefined);
      const file = status && files.get(identify(status));
      if (file === undefined || file.path === path) continue;
      file.missing--;
      paths.push({ ...file.closed, path });
    }
  }
  const isComplete = [...files.values()].every(({ closed: { name }, missing }) => name !== "refused" || missing <= 0);
  return { paths, isComplete };
}

function identify({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

/** A name that no pattern names: a folder is closed as a whole where whatever is in it is. */
const anyEntry = "\u0001/\u0001";

function findAccess(closures: readonly Closure[], path: string): ClosedPath["access"] | undefined {
  const found = closures.filter(({ matches }) => matches(path));
  if (found.length === 0) return undefined;
  return found.some(({ access }) => access === "hidden") ? "hidden" : "read";
}

async function listEntries(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return []; // gone, or not ours to look into, nor a command's
  }
}
