// Declares the MCP servers of a session: what they are opened with, and what the session gets.
import type { Elicitations, McpServerConfig } from "@signalbox/agent-kit";
import type { LoginStore } from "@signalbox/config/logins";
import type { ModelContent, Tool } from "../tools/tool.ts";
import type { Workspace } from "../tools/workspace.ts";
import type { LogInOptions } from "./log-in/log-in.ts";
import type { Mentions } from "./mentions.ts";
import type { Caller } from "./server-questions.ts";

export interface McpOptions {
  /** Of two with the same name the first is used. */
  readonly servers: readonly McpServerConfig[];
  readonly workspace: Workspace;
  /** Our version, for the servers. */
  readonly version: string;
  readonly sessionId: string;
  /** How the person is asked what a server asks; undefined where the client cannot. */
  readonly elicitations: Elicitations | undefined;
  /** The log-ins that are kept. */
  readonly logins: LoginStore;
  /** Whether servers that the project names have the network. */
  readonly projectNetwork: boolean;
  /** Called when the tools, the prompts or the state of a server have changed. */
  readonly onChanged: () => void;
  /** Called with a sentence for the person: a server failed to start, died, or was restarted. */
  readonly onNotice: (notice: string) => void;
  /** How long a server may take to answer; 30 seconds when left out. */
  readonly startTimeoutMs?: number;
}

export interface McpSession {
  /** Resolves when `servers` names them all; never rejects. */
  readonly opened: Promise<void>;
  /** Resolves when every server has answered or failed; never rejects. `tools` grows until then. */
  readonly ready: Promise<void>;
  /** The tools of all servers that run now. A new array after every `onChanged`. */
  readonly tools: readonly McpTool[];
  readonly prompts: readonly McpPrompt[];
  readonly servers: readonly McpServerStatus[];
  /** False where there is no such server. Resolves when it has answered or failed. */
  restart(name: string): Promise<boolean>;
  /**
   * Asks the person to log in, with `show` for the address, and starts the server again. False where there is no such server; rejects with an
   * error whose message says why there is no log-in.
   */
  logIn(name: string, show: LogInOptions["show"], signal: AbortSignal): Promise<boolean>;
  /** Forgets the log-in. False where there is no such server. */
  logOut(name: string): Promise<boolean>;
  /** The resources that a prompt mentions. Rejects only when it is cancelled. */
  readMentions(text: string, caller: Caller): Promise<Mentions>;
  /** Stops all servers with their process trees. */
  close(): Promise<void>;
}

/** A tool of a server, as one of ours. */
export interface McpTool extends Tool {
  readonly server: string;
  /** The server's own name for it. */
  readonly nameOnServer: string;
}

/** A prompt of a server, as a slash command. */
export interface McpPrompt {
  /** `server:prompt` */
  readonly command: string;
  readonly description: string;
  /** Describes the arguments; may be empty. */
  readonly hint: string;
  /** The content for the model; a sentence where an argument is missing. Rejects when the server does not give it. */
  read(args: string, caller: Caller): Promise<readonly ModelContent[] | string>;
}

export interface McpServerStatus {
  readonly name: string;
  readonly state: "starting" | "running" | "failed" | "closed";
  /** Since when it has been starting, in milliseconds since 1970. */
  readonly startingSince: number | undefined;
  readonly tools: number;
  readonly toolNames: readonly string[];
  /** Its tools that the filter of the config leaves out. */
  readonly leftOut: readonly string[];
  readonly prompts: number;
  readonly hasResources: boolean;
  /** Why it failed. */
  readonly problem: string | undefined;
  /** It failed because the person has to log in, which is possible. */
  readonly wantsLogIn: boolean;
  /** The last failure, kept after the server runs again. */
  readonly lastProblem: string | undefined;
  /** Whether a log-in is kept for it. */
  readonly isLoggedIn: boolean;
  /** The server's own instructions, for the system prompt. */
  readonly instructions: string | undefined;
}
