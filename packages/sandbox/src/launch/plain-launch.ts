// No enclosure at all: only for a user who switched the sandbox off, on a machine without our helper.
import type { Launch, LaunchRequest } from "./launch.ts";
import { wrapInShell } from "./shell-wrapper.ts";

export function plainLaunch(request: LaunchRequest): Launch {
  const [program = "", ...rest] = wrapInShell(request);
  return { program, arguments: rest, env: request.env, cwd: request.cwd, ends: "by-signal" };
}
