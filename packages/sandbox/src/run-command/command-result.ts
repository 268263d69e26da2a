// Declares how a command can end: one type per ending, with exactly the fields of that ending.
import type { PutAside } from "../made-settings/made-settings.ts";
import type { CapturedOutput } from "./captured-output.ts";
import type { Denial } from "./denials.ts";

export type CommandResult = RefusedCommand | (Ending & Ran);

/** The result of every command that ran. */
export interface Ran {
  readonly output: CapturedOutput;
  /** Accesses that the sandbox denied, as far as the output reveals them. */
  readonly denials: readonly Denial[];
  /** Settings that it made and that programs outside would obey. */
  readonly putAside: readonly PutAside[];
  readonly milliseconds: number;
}

export type Ending =
  | { readonly ended: "exit"; readonly exitCode: number }
  /** Ended by a signal that was not ours: a crash, the kernel's memory killer, its own `kill`. */
  | { readonly ended: "signal"; readonly signal: string }
  | { readonly ended: "timeout"; readonly timeout: number }
  | { readonly ended: "cancelled" }
  | { readonly ended: "limit"; readonly limit: LimitName; readonly most: number };

export type LimitName = "memory" | "processes" | "output";

/** Nothing was started. */
export interface RefusedCommand {
  readonly ended: "refused";
  readonly code: "sandbox_unavailable" | "folder_not_usable" | "cannot_start";
  /** Says what happened, why, and what to do, in one line. */
  readonly message: string;
}

/** One line for the model and the person. */
export function describeEnding(result: Ending | RefusedCommand): string {
  switch (result.ended) {
    case "exit":
      return `exit code ${result.exitCode}`;
    case "signal":
      return `ended by ${result.signal}`;
    case "timeout":
      return `ended after ${result.timeout / 1000} s, the longest it may run`;
    case "cancelled":
      return "cancelled";
    case "limit":
      return result.limit === "processes"
        ? `ended because it had more than ${result.most} processes`
        : `ended because its ${result.limit} grew beyond ${Math.round(result.most / 1024 ** 2)} MB`;
    case "refused":
      return `not started: ${result.message}`;
  }
}
