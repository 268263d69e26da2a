// Declares a request to launch a command, and what is really started for it: the sandboxing program, its arguments and its environment.
import type { Policy } from "../policy/policy.ts";
import type { Limits } from "../run-command/limits.ts";

export interface LaunchRequest {
  readonly policy: Policy;
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Limits;
  /** Both outputs in one, in order; or the three standard streams for the command's own use. */
  readonly streams: "joined" | "own";
  /** Files that are written somewhere else inside: at `path` is a link to `target`. Only with namespaces. */
  readonly links?: readonly { readonly path: string; readonly target: string }[];
  /** The unix socket of the session's loopback, which this command shares with others (`SessionLoopback`). Only with namespaces. */
  readonly loopback?: string | undefined;
  /** `same`: the sandboxing program ends with the exit code or signal of the command, and passes signals on. By default the end is reported. */
  readonly end?: "same";
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
