// A shell command to run and how it ended, wherever it runs.
import type { ToolCallContent } from "@agentclientprotocol/sdk";

export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  readonly network: boolean;
  readonly signal: AbortSignal;
  /** What to show of it while it runs: its output so far, or the client's terminal. */
  readonly show: (content: readonly ToolCallContent[]) => void;
}

export interface CommandEnd {
  /** stdout and stderr in order of arrival; where it was too much, its beginning and its end. */
  readonly output: string;
  readonly outcome:
    | { readonly type: "exit"; readonly code: number }
    | { readonly type: "signal"; readonly signal: string }
    /** The call's signal aborted: cancelled, or out of time. */
    | { readonly type: "aborted" }
    /** It went over a limit of the sandbox: memory, processes, output. */
    | { readonly type: "limit"; readonly limit: string };
  /** What the sandbox refused, one line each, where it can be known. */
  readonly denied: readonly string[];
  /** What the person sees where that is not the output as text. */
  readonly display?: readonly ToolCallContent[];
}

/** The client's terminals, where it advertised them and the user chose to run commands there. */
export interface ClientTerminals {
  create(request: {
    readonly command: string;
    readonly cwd: string;
    readonly outputByteLimit: number;
  }): Promise<ClientTerminal>;
}

export interface ClientTerminal {
  readonly id: string;
  output(): Promise<{ readonly output: string; readonly truncated: boolean }>;
  waitForExit(): Promise<{ readonly exitCode?: number | null; readonly signal?: string | null }>;
  kill(): Promise<void>;
  release(): Promise<void>;
}
