// Declares a shell command that runs in our sandbox or in a terminal of the client, and how it ended.
import { describeEnding, type Ending, type RefusedCommand } from "@signalbox/sandbox";
import type { Escalation } from "@signalbox/tool-calls";
import type { ClientTerminal } from "../client/client-terminals.ts";

export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  readonly network: boolean;
  /** Rights beyond the sandbox that a person allowed. */
  readonly escalation?: Escalation;
  /** Ends the command. */
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** Called with output as it is printed. Not called for a command in a terminal. */
  readonly onOutput?: (text: string) => void;
}

/** Starts a command. Throws a `ToolFailure` when it could not be started. */
export type StartCommand = (request: CommandRequest) => Promise<RunningCommand>;

export interface RunningCommand {
  /** The terminal of the client that it runs in; undefined elsewhere. */
  readonly terminal?: ClientTerminal;
  /** Never rejects. */
  readonly ended: Promise<CommandEnd>;
}

export interface CommandEnd {
  /** stdout and stderr in order of arrival: of a flood both ends, of a terminal the last four megabytes. */
  readonly output: string;
  /** The beginning of the output was dropped. */
  readonly isTruncated: boolean;
  readonly ending: CommandEnding;
  /** Accesses that the sandbox denied, or probably denied, one sentence each. */
  readonly denied: readonly string[];
  /** Whether the sandbox denied it the network. */
  readonly networkDenied: boolean;
}

/** How a command ended. `unknown`: the client did not tell. */
export type CommandEnding = Ending | RefusedCommand | { readonly ended: "unknown"; readonly reason: string };

export function hasSucceeded(ending: CommandEnding): boolean {
  return ending.ended === "exit" && ending.exitCode === 0;
}

/** One line for the model: `Exit code 1`, `Ended by SIGKILL`, `Not started: …`. */
export function endingLine(ending: CommandEnding): string {
  const line =
    ending.ended === "unknown" ? `ended; the client did not tell how: ${ending.reason}` : describeEnding(ending);
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}`;
}
