// From the machine's means of enforcement to what is really started for a command.
import type { Enforcement } from "../enforcement/enforcement.ts";
import { bubblewrapLaunch } from "./bubblewrap-launch.ts";
import { helperLaunch } from "./helper-launch.ts";
import type { Launch, LaunchRequest } from "./launch-request.ts";
import { plainLaunch } from "./plain-launch.ts";
import { seatbeltLaunch } from "./seatbelt-launch.ts";

export function launchFor(enforcement: Exclude<Enforcement, { kind: "unavailable" }>, request: LaunchRequest): Launch {
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
