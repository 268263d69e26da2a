// The rules of a policy as enforcement needs them: parents before children, and only those that change something.
import { existsSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { type Access, isInside, type Policy, type Rule } from "../policy/policy.ts";

export interface EffectiveRule {
  readonly path: string;
  readonly access: Access;
  readonly guard?: "file" | "folder";
}

const STRICTNESS: Record<Access, number> = { hidden: 0, read: 1, write: 2 };

export function effectiveRules(policy: Policy): EffectiveRule[] {
  const byPath = new Map<string, EffectiveRule>();
  for (const rule of policy.rules.map(forCommands)) {
    const other = rule && byPath.get(rule.path);
    if (rule && (!other || STRICTNESS[rule.access] < STRICTNESS[other.access])) byPath.set(rule.path, rule);
  }
  const kept: EffectiveRule[] = [];
  for (const rule of [...byPath.values()].toSorted((a, b) => a.path.length - b.path.length)) {
    const above = kept.findLast((other) => isInside(rule.path, other.path));
    if (above?.access !== rule.access) kept.push(rule);
  }
  return kept;
}

/** In a linked work tree `.git` is a file that says where the repository is: it is the thing to guard then. */
function forCommands(rule: Rule): EffectiveRule | undefined {
  const { path, access, guard } = rule;
  if (guard === undefined) return { path, access };
  if (rule.name === "git-internals") {
    const git = lstatSync(dirname(path), { throwIfNoEntry: false });
    if (git === undefined) return undefined;
    if (git.isFile()) return { path: dirname(path), access, guard: "file" };
  } else if (!existsSync(path)) {
    return undefined;
  }
  return { path, access, guard };
}
