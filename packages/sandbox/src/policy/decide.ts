// Decides about one real path, without looking at the disk: the most specific rule wins, and of two equally specific ones the stricter.
import { isGitInternal } from "./obeyed-files.ts";
import { type Access, type Decision, fold, isInside, type Policy, type Rule } from "./policy.ts";

export type Operation = "read" | "write";

const strictness: Record<Access, number> = { hidden: 0, read: 1, write: 2 };

type OrderedRule = Rule & { readonly order: number };

/** Rules by their path. They never change, and there are hundreds for every decision. */
interface RuleIndex {
  readonly rules: ReadonlyMap<string, readonly OrderedRule[]>;
  readonly foldedRules: ReadonlyMap<string, readonly OrderedRule[]>;
}

const indexes = new WeakMap<readonly Rule[], RuleIndex>();

function buildIndex(rules: readonly Rule[]): RuleIndex {
  const known = indexes.get(rules);
  if (known !== undefined) return known;
  const ordered = rules.map((rule, order) => ({ ...rule, order }));
  const made = {
    // Restrictions match in any letter case; permissions only match as written.
    rules: Map.groupBy(
      ordered.filter(({ access }) => access === "write"),
      ({ path }) => path,
    ),
    foldedRules: Map.groupBy(
      ordered.filter(({ access }) => access !== "write"),
      ({ path }) => fold(path),
    ),
  };
  indexes.set(rules, made);
  return made;
}

/** Calls `visit` with an absolute path itself and every folder above it. */
function upwards(path: string, visit: (path: string) => void): void {
  if (!path.startsWith("/")) return;
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) visit(path.slice(0, end));
  if (path !== "/") visit("/");
}

export function findRule(policy: Pick<Policy, "rules">, path: string): Rule {
  const { rules, foldedRules } = buildIndex(policy.rules);
  let best: OrderedRule | undefined;
  const consider = (rule: OrderedRule) => {
    if (best === undefined || isMoreSpecific(rule, best)) best = rule;
  };
  upwards(path, (each) => rules.get(each)?.forEach(consider));
  upwards(fold(path), (each) => foldedRules.get(each)?.forEach(consider));
  // A policy always has a rule for "/"; one without it allows nothing.
  return policy.rules[best?.order ?? -1] ?? { path: "/", access: "hidden", name: "everything-else" };
}

/** Of two that are the same in everything, the first counts. */
function isMoreSpecific(rule: OrderedRule, other: OrderedRule): boolean {
  if (rule.path.length !== other.path.length) return rule.path.length > other.path.length;
  const difference = strictness[rule.access] - strictness[other.access];
  return difference < 0 || (difference === 0 && rule.order < other.order);
}

export function decide(policy: Policy, realPath: string, operation: Operation): Decision {
  const rule = findRule(policy, realPath);
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
    case "home":
      return `of the home folder ${rule.path} only toolchains show in the sandbox; the person can add a folder to sandbox.readable or to the thread`;
    case "toolchain":
    case "git-identity":
      return `${rule.path} is read-only`;
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
      return `${rule.path} belongs to the agent`;
    case "user-rule":
      return `a rule of the user closes ${rule.path}`;
    case "refused":
      return `the user refused a change of ${rule.path} in this turn`;
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
