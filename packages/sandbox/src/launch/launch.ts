// What is really started for a command: the program that encloses it, its arguments and its environment.
import type { Enforcement } from "../enforcement/enforcement.ts";
import type { Policy } from "../policy/policy.ts";
import type { Limits } from "../run-command/limits.ts";
import { bubblewrapLaunch } from "./bubblewrap-launch.ts";
import { helperLaunch } from "./helper-launch.ts";
import { plainLaunch } from "./plain-launch.ts";
import { seatbeltLaunch } from "./seatbelt-launch.ts";

export interface LaunchRequest {
  readonly policy: Policy;
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Limits;
  /** Both outputs in one, in order; or the three standard streams for the command's own use. */
  readonly streams: "joined" | "own";
}

export interface Launch {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The helper reports the end on descriptor 3 and ends everything when that closes; others are ended by signal. */
  readonly ends: "by-report" | "by-signal";
  readonly streams: LaunchRequest["streams"];
}

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
