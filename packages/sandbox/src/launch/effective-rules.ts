// The rules of a policy as enforcement needs them: parents before children, and only those that change something.
import { lstatSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { type Access, isInside, type Policy, type Rule } from "../policy/policy.ts";

export interface EffectiveRule {
  readonly path: string;
  readonly access: Access;
  readonly guard?: "file" | "folder";
}

const strictness: Record<Access, number> = { hidden: 0, read: 1, write: 2 };

/** A policy never changes, but what its guards guard may come and go. */
const known = new WeakMap<Policy, readonly EffectiveRule[]>();

export function effectiveRules(policy: Policy): readonly EffectiveRule[] {
  const plain = known.get(policy) ?? reduce(policy.rules.filter((rule) => rule.guard === undefined));
  known.set(policy, plain);
  const guards = policy.rules.map(guardFor).filter((guard) => guard !== undefined);
  return guards.length === 0 ? plain : reduce([...plain, ...guards]);
}

function reduce(rules: readonly EffectiveRule[]): EffectiveRule[] {
  const byPath = new Map<string, EffectiveRule>();
  for (const rule of rules) {
    const other = byPath.get(rule.path);
    if (!other || strictness[rule.access] < strictness[other.access]) byPath.set(rule.path, rule);
  }
  const kept: EffectiveRule[] = [];
  for (const rule of [...byPath.values()].toSorted((a, b) => a.path.length - b.path.length)) {
    const above = kept.findLast((other) => isInside(rule.path, other.path));
    if (above?.access !== rule.access) kept.push(rule);
  }
  return kept;
}

/** In a linked work tree `.git` is a file that says where the repository is: it is the thing to guard then. */
function guardFor({ path, access, guard, name }: Rule): EffectiveRule | undefined {
  if (guard === undefined) return undefined;
  const guarded = name === "git-internals" ? dirname(path) : path;
  const status = look(guarded);
  if (status === undefined) return undefined;
  return name === "git-internals" && status.isFile()
    ? { path: guarded, access, guard: "file" }
    : { path, access, guard };
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // in a folder that we cannot look into, nor can a command
  }
}
