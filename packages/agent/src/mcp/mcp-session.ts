// What a session says to its MCP servers and hears from them.
import type { Tool } from "../tools/tool.ts";
import type { Workspace } from "../tools/workspace.ts";
import type { McpServerConfig } from "./server-config.ts";

export interface McpOptions {
  /** Of two with the same name the first counts. */
  readonly servers: readonly McpServerConfig[];
  readonly workspace: Workspace;
  /** Our version, as servers see it. */
  readonly version: string;
  /** Whether servers that the project names have the network. */
  readonly projectNetwork: boolean;
  /** The list of tools is another one now: a server came, went, or said so. */
  readonly onToolsChanged: () => void;
  /** Something the person should know, in one sentence: a server failed to start, died, was started again, gave up. */
  readonly onNotice: (notice: string) => void;
  /** Milliseconds until a server must have answered; 30 seconds when left out. */
  readonly startLimit?: number;
}

export interface McpSession {
  /** Resolves when every server has answered or failed; never rejects. `tools` grows until then. */
  readonly ready: Promise<void>;
  /** The tools of all servers that run now. A new array after every `onToolsChanged`. */
  readonly tools: readonly Tool[];
  readonly servers: readonly McpServerStatus[];
  /** Stops all of them, whole trees. */
  close(): Promise<void>;
}

export interface McpServerStatus {
  readonly name: string;
  readonly state: "starting" | "running" | "failed" | "closed";
  readonly tools: number;
  /** Why it failed. */
  readonly problem: string | null;
  /** What the server says about how to use it, for the system prompt. */
  readonly instructions: string | null;
}
