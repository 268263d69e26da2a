// Declares the MCP servers of a session: what they are opened with, and what the session gets.
import type { Tool } from "../tools/tool.ts";
import type { Workspace } from "../tools/workspace.ts";
import type { McpServerConfig } from "./server-config.ts";

export interface McpOptions {
  /** Of two with the same name the first is used. */
  readonly servers: readonly McpServerConfig[];
  readonly workspace: Workspace;
  /** Our version, for the servers. */
  readonly version: string;
  /** Whether servers that the project names have the network. */
  readonly projectNetwork: boolean;
  /** Called when the list of tools has changed. */
  readonly onToolsChanged: () => void;
  /** Called with a sentence for the person: a server failed to start, died, or was restarted. */
  readonly onNotice: (notice: string) => void;
  /** How long a server may take to answer; 30 seconds when left out. */
  readonly startTimeoutMs?: number;
}

export interface McpSession {
  /** Resolves when every server has answered or failed; never rejects. `tools` grows until then. */
  readonly ready: Promise<void>;
  /** The tools of all servers that run now. A new array after every `onToolsChanged`. */
  readonly tools: readonly Tool[];
  readonly servers: readonly McpServerStatus[];
  /** Stops all servers with their process trees. */
  close(): Promise<void>;
}

export interface McpServerStatus {
  readonly name: string;
  readonly state: "starting" | "running" | "failed" | "closed";
  readonly tools: number;
  readonly toolNames: readonly string[];
  /** Why it failed. */
  readonly problem: string | undefined;
  /** The server's own instructions, for the system prompt. */
  readonly instructions: string | undefined;
}
