// Prepares the rules of a policy for enforcement: parents before children, and only rules that change something.
import { lstatSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { moreGitRules, readsWorktreeConfig } from "../policy/obeyed-files.ts";
import { type Access, type Guard, isInside, type Policy, type Rule, type StandIn } from "../policy/policy.ts";
import { resolveRealPath } from "../policy/real-path.ts";
import { type PresentPaths, presentPaths } from "./present-paths.ts";

export interface EffectiveRule {
  readonly path: string;
  readonly access: Access;
  readonly guard?: Guard;
  readonly standIn?: StandIn;
}

const strictness: Record<Access, number> = { hidden: 0, read: 1, write: 2 };

/** A policy never changes, but what its guards guard may come and go. */
const known = new WeakMap<Policy, readonly EffectiveRule[]>();

/** Parents before children. */
export function effectiveRules(policy: Policy): readonly EffectiveRule[] {
  const guards = effectiveGuards(policy);
  return guards.length === 0 ? plainRules(policy) : [...plainRules(policy), ...guards].toSorted(byLength);
}

/** Those that are no guards: always the same for a policy. */
export function plainRules(policy: Policy): readonly EffectiveRule[] {
  const plain = known.get(policy) ?? reduce(policy.rules.filter((rule) => rule.guard === undefined));
  known.set(policy, plain);
  return plain;
}

/** Resolves the guards for the present state of the disk. A guard only takes something away, so it is dropped where nothing is writable. */
export function effectiveGuards(policy: Policy): readonly EffectiveRule[] {
  const plain = plainRules(policy);
  const guards = new Map<string, EffectiveRule>();
  const { ofGit, others } = collectGuards(policy);
  for (const guard of [...ofGit.flatMap(listGitGuards), ...others()])
    if (isWritable(plain, guard.path)) guards.set(guard.path, guard);
  return [...guards.values()];
}

interface Guards {
  readonly ofGit: readonly GuardRule[];
  /** Guards of other paths. A missing path needs none, unless the guard is about that. */
  readonly others: PresentPaths<EffectiveRule>;
}

type GuardRule = Rule & { readonly guard: Guard };

const knownGuards = new WeakMap<Policy, Guards>();

function collectGuards(policy: Policy): Guards {
  const before = knownGuards.get(policy);
  if (before !== undefined) return before;
  const rules = policy.rules.filter((rule): rule is GuardRule => rule.guard !== undefined);
  const { ofGit = [], others = [] } = Object.groupBy(rules, ({ name }) =>
    name === "git-internals" ? "ofGit" : "others",
  );
  const plain = others.map(({ path, access, guard }) => ({ path, access, guard }));
  const made = { ofGit, others: presentPaths(plain, ({ guard }) => guard === "absent") };
  knownGuards.set(policy, made);
  return made;
}

function byLength(a: EffectiveRule, b: EffectiveRule): number {
  return a.path.length - b.path.length;
}

function isWritable(plain: readonly EffectiveRule[], path: string): boolean {
  return plain.findLast((rule) => isInside(path, rule.path))?.access === "write";
}

function reduce(rules: readonly EffectiveRule[]): EffectiveRule[] {
  const byPath = new Map<string, EffectiveRule>();
  for (const rule of rules) {
    const other = byPath.get(rule.path);
    if (!other || strictness[rule.access] < strictness[other.access]) byPath.set(rule.path, rule);
  }
  const kept = new Map<string, EffectiveRule>();
  for (const rule of [...byPath.values()].toSorted(byLength)) {
    const above = ruleAbove(kept, rule.path);
    // What stands in for a folder shows nothing of it, so every rule in it changes something but one that hides.
    const isShown = above?.standIn !== undefined && rule.access !== "hidden";
    if (above?.access !== rule.access || isShown || rule.standIn !== undefined) kept.set(rule.path, rule);
  }
  return [...kept.values()];
}

/** Of rules by their path, the one for the nearest folder above this path. */
export function ruleAbove(rules: ReadonlyMap<string, EffectiveRule>, path: string): EffectiveRule | undefined {
  for (const folder of foldersAbove(path)) {
    const rule = rules.get(folder);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** Every folder that this absolute path is in, the nearest first. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let inner = path; dirname(inner) !== inner; inner = dirname(inner)) folders.push(dirname(inner));
  return folders;
}

/**
 * In a linked work tree `.git` is a file that says where the repository is: it is the thing to guard then. Where `.git` is a link, what
 * it leads to is guarded.
 */
function listGitGuards({ path, guard }: GuardRule): EffectiveRule[] {
  const git = dirname(path);
  const status = readStatus(git);
  if (status === undefined) return basename(path) === "hooks" ? newRepositoryGuard(git) : [];
  if (status.isFile()) return [{ path: git, access: "read", guard: "existing" }];
  const real = status.isSymbolicLink() ? resolveRealPath(git) : { found: true as const, path: git };
  if (!real.found) return [];
  const own: EffectiveRule = { path: join(real.path, basename(path)), access: "read", guard };
  switch (basename(path)) {
    case "hooks":
      return [own, ...behindLink(own.path), ...moreGitRules(real.path, dirname(git))];
    case "config.worktree":
      return [readsWorktreeConfig(real.path) ? { ...own, guard: "absent" } : own, ...behindLink(own.path)];
    default:
      return [own, ...behindLink(own.path)];
  }
}

/** What a link leads to is obeyed as well. */
function behindLink(path: string): EffectiveRule[] {
  if (readStatus(path)?.isSymbolicLink() !== true) return [];
  const real = resolveRealPath(path);
  return !real.found || readStatus(real.path) === undefined
    ? []
    : [{ path: real.path, access: "read", guard: "existing" }];
}

/**
 * In a folder of a repository a new `.git` would take that repository's place, with settings of the command's choice. Elsewhere a command may
 * make one: people ask for that.
 */
function newRepositoryGuard(git: string): EffectiveRule[] {
  const isInRepository = foldersAbove(dirname(git)).some((folder) => readStatus(join(folder, ".git")) !== undefined);
  return isInRepository ? [{ path: git, access: "read", guard: "absent" }] : [];
}

function readStatus(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // in a folder that we cannot look into, nor can a command
  }
}
