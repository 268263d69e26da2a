// The decision about one real path, pure: the most specific rule wins, and of two equally specific ones the stricter.
import { type Access, fold, isInside, type Policy, type Rule, type RuleName } from "./policy.ts";

export type Operation = "read" | "write";

export type Decision =
  | { readonly allowed: true; readonly path: string; readonly rule: RuleName }
  | { readonly allowed: false; readonly path: string; readonly rule: RuleName | "path"; readonly message: string };

const strictness: Record<Access, number> = { hidden: 0, read: 1, write: 2 };

/** Rules never change, and every decision needs them all. */
const foldedPaths = new WeakMap<Rule, string>();

function foldedPathOf(rule: Rule): string {
  const folded = foldedPaths.get(rule) ?? fold(rule.path);
  foldedPaths.set(rule, folded);
  return folded;
}

export function ruleFor(policy: Pick<Policy, "rules">, path: string): Rule {
  const folded = fold(path);
  let best: Rule | undefined;
  for (const rule of policy.rules) {
    // What takes away holds in any letter case, what gives holds only as written.
    const applies = rule.access === "write" ? isInside(path, rule.path) : isInside(folded, foldedPathOf(rule));
    if (!applies) continue;
    const difference = best === undefined ? 1 : rule.path.length - best.path.length;
    if (difference > 0 || (difference === 0 && best && strictness[rule.access] < strictness[best.access])) best = rule;
  }
  // A policy always has a rule for "/"; one without it allows nothing.
  return best ?? { path: "/", access: "hidden", name: "everything-else" };
}

export function decide(policy: Policy, realPath: string, operation: Operation): Decision {
  const rule = ruleFor(policy, realPath);
  const allowed = operation === "write" ? rule.access === "write" : rule.access !== "hidden";
  if (allowed && operation === "write" && policy.mode !== "rwx" && isGitInternal(realPath)) {
    return deny(policy, realPath, operation, { path: realPath, access: "read", name: "git-internals" });
  }
  return allowed ? { allowed: true, path: realPath, rule: rule.name } : deny(policy, realPath, operation, rule);
}

/** Hooks and settings of any repository, also nested ones: git runs what they say, later and outside of the sandbox. */
function isGitInternal(path: string): boolean {
  const names = path.toLowerCase().split("/");
  const git = names.indexOf(".git");
  if (git === -1) return false;
  const inside = names.slice(git + 1);
  return inside.includes("hooks") || inside.at(-1) === "config" || inside.at(-1) === "config.worktree";
}

function deny(policy: Policy, path: string, operation: Operation, rule: Rule): Decision {
  const verb = operation === "write" ? "writing" : "reading";
  const message = `${verb} ${path} is not allowed: ${reason(policy, rule)} (rule ${rule.name}, mode ${policy.mode})`;
  return { allowed: false, path, rule: rule.name, message };
}

function reason(policy: Policy, rule: Rule): string {
  switch (rule.name) {
    case "everything-else":
      return `only these folders are writable: ${writableFolders(policy).join(", ") || "none"}`;
    case "workspace":
      return `the workspace ${rule.path} is read-only`;
    case "system-folder":
      return `${rule.path} belongs to the system`;
    case "own-data":
      return `${rule.path} holds Signalbox's own data`;
    case "shell-start-up":
      return `${rule.path} is run when you log in, open a shell or use git`;
    case "credentials":
      return `${rule.path} holds credentials`;
    case "git-internals":
      return `git runs what ${rule.path} says`;
    case "project-settings":
      return `${rule.path} says what Signalbox runs for this project`;
    case "skills":
      return `${rule.path} holds skills, which are read-only`;
    case "data-workspace":
    case "temp":
    case "configured":
      return `${rule.path} is not open for this`;
  }
}

function writableFolders(policy: Policy): string[] {
  return policy.rules.filter((rule) => rule.access === "write").map((rule) => rule.path);
}
