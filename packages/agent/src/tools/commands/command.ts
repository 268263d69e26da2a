// A shell command to run and how it ended, wherever it runs.
import type { ToolCallContent } from "@agentclientprotocol/sdk";

export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  readonly network: boolean;
  readonly signal: AbortSignal;
  /** What it prints, as it prints it. Not called where the client shows it itself. */
  readonly onOutput: (text: string) => void;
  /** Called at once with what shows the command while it runs, where the client does that itself. */
  readonly onTerminal: (content: ToolCallContent) => void;
}

export interface CommandEnd {
  /** stdout and stderr in order of arrival, from the beginning up to about a megabyte. */
  readonly output: string;
  readonly outcome: CommandOutcome;
  /** What the sandbox refused, one line each, where it can be known. */
  readonly denied: readonly string[];
  /** Whether the sandbox kept it from the network. */
  readonly networkDenied: boolean;
}

export type CommandOutcome =
  | { readonly type: "exit"; readonly code: number }
  | { readonly type: "signal"; readonly signal: string }
  /** The call's signal aborted: cancelled, or out of time. */
  | { readonly type: "aborted" }
  /** It went over a limit of the sandbox; the words say which. */
  | { readonly type: "limit"; readonly words: string }
  /** It was not started; the words say why and what to do. */
  | { readonly type: "refused"; readonly words: string };

export type RunCommand = (request: CommandRequest) => Promise<CommandEnd>;

/** In words for the model; empty when all went well. */
export function outcomeWords(outcome: CommandOutcome): string {
  switch (outcome.type) {
    case "exit":
      return outcome.code === 0 ? "" : `Exit code ${outcome.code}`;
    case "signal":
      return `Ended by ${outcome.signal}`;
    case "aborted":
      return "Stopped before it ended";
    case "limit":
      return `Stopped: ${outcome.words}`;
    case "refused":
      return `Not started: ${outcome.words}`;
  }
}
