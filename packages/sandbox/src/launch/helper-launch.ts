// The command line of our own Linux helper (native/): the rules of the policy as options, then the command.
import { isInside, type Policy } from "../policy/policy.ts";
import { type EffectiveRule, effectiveRules } from "./effective-rules.ts";
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
      layer === "none" ? [] : rulesWithHelper(policy, helper).flatMap(ruleOptions),
      ["--", ...command],
    ].flat(),
    env: safe,
    cwd: "/", // the helper enters the folder itself, as the command will see it
    ends: "by-report",
    streams: request.streams,
  };
}

/** In a checkout of Signalbox the helper may lie in the workspace. Whoever could replace it would run unenclosed next. */
function rulesWithHelper(policy: Policy, helper: string): readonly EffectiveRule[] {
  const rules = effectiveRules(policy);
  const above = rules.findLast((rule) => isInside(helper, rule.path));
  return above?.access === "write" ? [...rules, { path: helper, access: "read", guard: "existing" }] : rules;
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
