// Builds the command line of macOS's sandbox-exec.
import type { Launch, LaunchRequest } from "./launch-request.ts";
import { splitLoaderVariables } from "./loader-variables.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";
import { wrapInShell } from "./shell-wrapper.ts";

export function seatbeltLaunch(program: string, request: LaunchRequest): Launch {
  const { safe, forCommandOnly } = splitLoaderVariables(request.env);
  const settings = forCommandOnly.map(([name, value]) => `${name}=${value}`);
  return {
    program,
    arguments: ["-p", seatbeltProfile(request.policy), "/usr/bin/env", ...settings, ...wrapInShell(request)],
    env: safe,
    cwd: request.cwd,
    ends: "by-signal",
    streams: request.streams,
  };
}
