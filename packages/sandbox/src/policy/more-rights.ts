// Gives a command more than its policy does, for when a person allowed that: another folder to write, the network, or no sandbox at all.
import { statSync } from "node:fs";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { canWrite } from "./can-access.ts";
import { findRule } from "./decide.ts";
import { gitGuardRules } from "./obeyed-files.ts";
import type { Policy, Rule } from "./policy.ts";
import { resolveRealPath } from "./real-path.ts";

export interface SandboxRights {
  readonly enforcement: Enforcement;
  readonly policy: Policy;
}

interface MoreRights {
  readonly to: "outside" | "network" | "write";
  /** For `write`: an absolute path. */
  readonly folder?: string;
}

/** A string says why no one could allow this. */
export function withMoreRights(
  { enforcement, policy }: SandboxRights,
  { to, folder = "" }: MoreRights,
): SandboxRights | string {
  switch (to) {
    case "outside":
      return { enforcement: { kind: "off", helper: findHelper(enforcement) }, policy: noLimits };
    case "network":
      return { enforcement, policy: { ...policy, network: "on" } };
    case "write": {
      const opened = openFolder(policy, folder);
      return typeof opened === "string" ? opened : { enforcement, policy: opened };
    }
  }
}

const noLimits: Policy = {
  mode: "rwx",
  network: "on",
  rules: [{ path: "/", access: "write", name: "everything-else" }],
  ignored: [],
};

/** The helper still supervises: what the command starts ends with it. */
function findHelper(enforcement: Enforcement): string | undefined {
  return enforcement.kind === "landlock" || enforcement.kind === "off" ? enforcement.helper : undefined;
}

/** A folder is read-only by default, or because the mode is. What is protected stays protected. */
const openable: ReadonlySet<Rule["name"]> = new Set(["everything-else", "workspace"]);

/** In the home folder only what people see when they list it: keys and settings lie behind names that begin with a dot. */
function canOpen(rule: Rule, path: string): boolean {
  if (rule.name === "home") return path.length > rule.path.length && path[rule.path.length + 1] !== ".";
  return openable.has(rule.name);
}

function openFolder(policy: Policy, folder: string): Policy | string {
  const decision = canWrite(policy, folder);
  const real = resolveRealPath(folder);
  if (!real.found) return decision.allowed ? `${folder} cannot be found` : decision.message;
  if (!decision.allowed && !canOpen(findRule(policy, real.path), real.path)) {
    return `${decision.message}. Only a command outside the sandbox could.`;
  }
  if (statSync(real.path, { throwIfNoEntry: false })?.isDirectory() !== true) return `${folder} is not a folder`;
  const opened: Rule = { path: real.path, access: "write", name: "configured" };
  return { ...policy, rules: [...policy.rules, opened, ...gitGuardRules(real.path)] };
}
