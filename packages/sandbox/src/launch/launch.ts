// Chooses what is really started for a command, depending on the enforcement of this machine.
import type { Enforcement } from "../enforcement/enforcement.ts";
import { bubblewrapLaunch } from "./bubblewrap-launch.ts";
import { helperLaunch } from "./helper-launch.ts";
import type { Launch, LaunchRequest } from "./launch-request.ts";
import { seatbeltLaunch } from "./seatbelt-launch.ts";
import { wrapInShell } from "./shell-wrapper.ts";

export function planLaunch(enforcement: Exclude<Enforcement, { kind: "unavailable" }>, request: LaunchRequest): Launch {
  switch (enforcement.kind) {
    case "landlock":
      return helperLaunch(enforcement.helper, enforcement.layer, request, enforcement.abi);
    case "bubblewrap":
      return bubblewrapLaunch(enforcement.program, request);
    case "seatbelt":
      return seatbeltLaunch(enforcement.program, request);
    case "off":
      return enforcement.helper === undefined
        ? plainLaunch(request)
        : helperLaunch(enforcement.helper, "none", request);
  }
}

/** Without any sandbox: only for a user who switched the sandbox off, on a machine without our helper. */
function plainLaunch(request: LaunchRequest): Launch {
  const [program = "", ...rest] = wrapInShell(request);
  const { env, cwd, streams } = request;
  return { program, arguments: rest, env, cwd, ends: "by-signal", streams };
}
