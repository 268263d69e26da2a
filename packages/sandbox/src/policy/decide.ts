// Decides about one real path, without looking at the disk: the most specific rule wins, and of two equally specific ones the stricter.
import { isGitInternal } from "./obeyed-files.ts";
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
  if (allowed && isProcessData(realPath)) {
    return deny(policy, realPath, operation, { path: realPath, access: "hidden", name: "process-data" });
  }
  return allowed ? { allowed: true, path: realPath, rule: rule.name } : deny(policy, realPath, operation, rule);
}

/** Environment, memory and open files of running processes, the host's included. A command sees only its own processes. */
function isProcessData(path: string): boolean {
  return /^\/proc\/\d+\//.test(path);
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
    case "other-worktrees":
      return `${rule.path} holds the worktrees of other threads`;
    case "shell-start-up":
      return `${rule.path} is obeyed when you log in, open a shell, enter a folder or start a program`;
    case "credentials":
      return `${rule.path} holds credentials`;
    case "git-internals":
      return `git runs what ${rule.path} says`;
    case "project-settings":
      return `${rule.path} says which programs are run for this project`;
    case "editor-settings":
      return `${rule.path} says what an editor runs when it opens this folder`;
    case "own-program":
      return `Signalbox runs ${rule.path}`;
    case "process-data":
      return `${rule.path} shows the inside of a running process`;
    case "skills":
      return `${rule.path} holds skills, which are read-only`;
    case "trusted-certificates":
      return `${rule.path} says whom programs trust`;
    case "agent-state":
      return `${rule.path} holds settings of the agent, which it may only read`;
    case "data-workspace":
    case "temp":
    case "configured":
      return `${rule.path} is not open for this`;
  }
}

function writableFolders({ rules }: Policy): string[] {
  const closed = rules.filter(({ access, guard }) => access !== "write" && guard === undefined);
  return rules
    .filter((rule) => rule.access === "write")
    .map(({ path }) => {
      const hasClosed = closed.some((rule) => rule.path !== path && isInside(rule.path, path));
      // Entries of such a folder may be opened one by one when a command starts: then it cannot make others.
      return hasClosed ? `${path} (protected paths are in it: commands may be unable to make new entries in it)` : path;
    });
}
