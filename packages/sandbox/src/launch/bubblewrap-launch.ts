// Builds the command line of bubblewrap, for machines without our helper. It has the same file rules, its own processes and network, but no
// system call filter: named unix sockets stay reachable.
import { lstatSync } from "node:fs";
import { isInside } from "../policy/policy.ts";
import { type EffectiveRule, effectiveRules } from "./effective-rules.ts";
import type { Launch, LaunchRequest } from "./launch-request.ts";
import { splitLoaderVariables } from "./loader-variables.ts";
import { wrapInShell } from "./shell-wrapper.ts";

export function bubblewrapLaunch(program: string, request: LaunchRequest): Launch {
  const { safe, forCommandOnly } = splitLoaderVariables(request.env);
  return {
    program,
    arguments: [
      ["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"],
      request.policy.network === "on" ? [] : ["--unshare-net"],
      mounts(effectiveRules(request.policy)),
      ["--dev", "/dev", "--proc", "/proc"],
      forCommandOnly.flatMap(([name, value]) => ["--setenv", name, value]),
      ["--chdir", request.cwd, "--", ...wrapInShell(request)],
    ].flat(),
    env: safe,
    cwd: "/",
    ends: "by-signal",
    streams: request.streams,
  };
}

function mounts(rules: readonly EffectiveRule[]): string[] {
  return rules.flatMap((rule) => {
    const status = lstatSync(rule.path, { throwIfNoEntry: false });
    if (status === undefined || status.isSymbolicLink()) return [];
    switch (rule.access) {
      case "write":
        return ["--bind", rule.path, rule.path];
      case "read":
        return isDeviceOrProcess(rule.path) ? [] : ["--ro-bind", rule.path, rule.path];
      case "hidden":
        return status.isDirectory() ? ["--tmpfs", rule.path] : ["--ro-bind", "/dev/null", rule.path];
    }
  });
}

/** Replaced as a whole below. */
function isDeviceOrProcess(path: string): boolean {
  return isInside(path, "/dev") || isInside(path, "/proc");
}
