// No enclosure at all: only for a user who switched the sandbox off, on a machine without our helper.
import type { Launch, LaunchRequest } from "./launch-request.ts";
import { wrapInShell } from "./shell-wrapper.ts";

export function plainLaunch(request: LaunchRequest): Launch {
  const [program = "", ...rest] = wrapInShell(request);
  const { env, cwd, streams } = request;
  return { program, arguments: rest, env, cwd, ends: "by-signal", streams };
}
