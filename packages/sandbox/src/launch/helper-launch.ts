// The command line of our own Linux helper (native/): the rules of the policy as options, then the command.
import { isInside, type Policy } from "../policy/policy.ts";
import { type EffectiveRule, effectiveGuards, plainRules } from "./effective-rules.ts";
import type { Launch, LaunchRequest } from "./launch-request.ts";
import { splitLoaderVariables } from "./loader-variables.ts";

type HelperLayer = "namespaces" | "landlock" | "none";

/** `landlockAbi` can only lower what the kernel has; tests use it to stand on older kernels. */
export function helperLaunch(helper: string, layer: HelperLayer, request: LaunchRequest, landlockAbi?: number): Launch {
  const { policy, limits, cwd, command } = request;
  const { safe, forCommandOnly } = splitLoaderVariables(request.env);
  return {
    program: helper,
    arguments: [
      ["run", "--layer", layer, "--network", policy.network, "--streams", request.streams, "--cwd", cwd],
      landlockAbi === undefined ? [] : ["--landlock-abi", String(landlockAbi)],
      ["--memory", String(limits.memory), "--processes", String(limits.processes)],
      ["--file-size", String(limits.fileSize)],
      forCommandOnly.flatMap(([name, value]) => ["--env", `${name}=${value}`]),
      layer === "none" ? [] : allRuleOptions(policy, helper),
      ["--", ...command],
    ].flat(),
    env: safe,
    cwd: "/", // the helper enters the folder itself, as the command will see it
    ends: "by-report",
    streams: request.streams,
  };
}

const knownOptions = new WeakMap<Policy, readonly string[]>();

/** In any order: the helper sorts them. Those of the plain rules are the same for every command. */
function allRuleOptions(policy: Policy, helper: string): readonly string[] {
  const plain = plainRules(policy);
  const options = knownOptions.get(policy) ?? plain.flatMap(ruleOptions);
  knownOptions.set(policy, options);
  return [...options, ...effectiveGuards(policy).flatMap(ruleOptions), ...helperGuard(plain, helper)];
}

/** The helper may lie in a writable folder. A command that could replace it would run outside of the sandbox next. */
function helperGuard(plain: readonly EffectiveRule[], helper: string): readonly string[] {
  const above = plain.findLast((rule) => isInside(helper, rule.path));
  return above?.access === "write" ? ruleOptions({ path: helper, access: "read", guard: "existing" }) : [];
}

function ruleOptions(rule: EffectiveRule): string[] {
  if (rule.guard !== undefined) return [`--guard-${rule.guard}`, rule.path];
  switch (rule.access) {
    case "hidden":
      return ["--hide", rule.path];
    case "read":
      return ["--read", rule.path];
    case "write":
      return ["--write", rule.path];
  }
}
