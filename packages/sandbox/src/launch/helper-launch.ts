// Builds the command line of our own Linux helper (native/): the rules of the policy as options, then the command.
import { isInside, type NetworkAccess, type NetworkByName, type Policy, type StandIn } from "../policy/policy.ts";
import { type EffectiveRule, effectiveGuards, foldersAbove, plainRules, ruleAbove } from "./effective-rules.ts";
import type { Launch, LaunchRequest } from "./launch-request.ts";
import { splitLoaderVariables } from "./loader-variables.ts";
import { type PresentPaths, presentPaths } from "./present-paths.ts";

type HelperLayer = "namespaces" | "landlock" | "none";

/** `landlockAbi` can only lower what the kernel has; tests use it to stand on older kernels. */
export function helperLaunch(helper: string, layer: HelperLayer, request: LaunchRequest, landlockAbi?: number): Launch {
  const { policy, limits, cwd, command } = request;
  const { safe, forCommandOnly } = splitLoaderVariables(request.env);
  return {
    program: helper,
    arguments: [
      ["run", "--layer", layer, ...networkOptions(layer, policy.network, request.loopback)],
      ["--streams", request.streams, "--cwd", cwd],
      request.end === undefined ? [] : ["--end", request.end],
      landlockAbi === undefined ? [] : ["--landlock-abi", String(landlockAbi)],
      ["--memory", String(limits.memory), "--processes", String(limits.processes)],
      ["--file-size", String(limits.fileSize)],
      forCommandOnly.flatMap(([name, value]) => ["--env", `${name}=${value}`]),
      layer === "none" ? [] : allRuleOptions(policy, helper),
      layer === "namespaces" ? (request.links ?? []).flatMap(({ path, target }) => ["--link", path, target]) : [],
      ["--", ...command],
    ].flat(),
    env: safe,
    cwd: "/", // the helper enters the folder itself, as the command will see it
    ends: "by-report",
    streams: request.streams,
  };
}

function networkOptions(layer: HelperLayer, network: NetworkAccess, loopback: string | undefined): readonly string[] {
  if (layer !== "namespaces") return ["--network", typeof network === "string" ? network : "off"];
  const shared = loopback === undefined ? [] : ["--loopback", loopback];
  if (typeof network === "string") return ["--network", network, ...shared];
  // A shared loopback has the proxy already.
  const proxy = loopback === undefined ? proxyOptions(network) : shared;
  return ["--network", "by-name", "--hosts", network.hosts, ...proxy];
}

/** Where a private loopback listens, and the proxy that this leads to. */
export function proxyOptions({ socket, places }: NetworkByName): readonly string[] {
  return [
    "--proxy",
    socket,
    ...places.flatMap(({ address, port, target }) => ["--proxy-at", `${address}:${port}=${target}`]),
  ];
}

interface PlainOptions {
  readonly always: readonly string[];
  /** Hidden paths that need no option while they are missing: no command can make them. */
  readonly whilePresent: PresentPaths<EffectiveRule>;
}

const known = new WeakMap<Policy, PlainOptions>();

/** In any order: the helper sorts them. */
function allRuleOptions(policy: Policy, helper: string): readonly string[] {
  const plain = plainRules(policy);
  const options = known.get(policy) ?? plainOptions(plain);
  known.set(policy, options);
  return [
    ...options.always,
    ...[...options.whilePresent(), ...effectiveGuards(policy)].flatMap(ruleOptions),
    ...helperGuard(plain, helper),
  ];
}

function plainOptions(plain: readonly EffectiveRule[]): PlainOptions {
  const byPath = new Map(plain.map((rule) => [rule.path, rule]));
  const haveRulesInside = new Set(plain.flatMap(({ path }) => foldersAbove(path)));
  const { always = [], whilePresent = [] } = Object.groupBy(plain, ({ path, access, standIn }) =>
    access === "hidden" &&
    standIn === undefined &&
    ruleAbove(byPath, path)?.access === "read" &&
    !haveRulesInside.has(path)
      ? "whilePresent"
      : "always",
  );
  return { always: always.flatMap(ruleOptions), whilePresent: presentPaths(whilePresent) };
}

/** The helper may lie in a writable folder. A command that could replace it would run outside of the sandbox next. */
function helperGuard(plain: readonly EffectiveRule[], helper: string): readonly string[] {
  const above = plain.findLast((rule) => isInside(helper, rule.path));
  return above?.access === "write" ? ruleOptions({ path: helper, access: "read", guard: "existing" }) : [];
}

function standInOptions(path: string, standIn: StandIn): string[] {
  switch (standIn.type) {
    case "empty":
      return ["--empty", path];
    case "folder":
      return ["--folder", path, standIn.folder];
    case "overlay":
      return ["--overlay", path, standIn.lower, standIn.upper, standIn.work];
  }
}

function ruleOptions(rule: EffectiveRule): string[] {
  if (rule.standIn !== undefined) return standInOptions(rule.path, rule.standIn);
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
