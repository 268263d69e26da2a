// Declares the part of the Claude Agent SDK that we use. The package is not installed with Signalbox, so its own types are not there when ours
// are checked. test/agents/claude-sdk.test.ts compares this file with the real package.

import type { Readable, Writable } from "node:stream";
import type { ZodType } from "zod";

export interface ClaudeSdk {
  query(params: { prompt: AsyncIterable<SdkUserMessage>; options?: QueryOptions }): ClaudeQuery;
  createSdkMcpServer(options: {
    name: string;
    version?: string;
    alwaysLoad?: boolean;
    timeout?: number;
    tools?: SdkTool[];
  }): SdkServer;
  listSessions(options?: { dir?: string; limit?: number; offset?: number }): Promise<SdkSessionInfo[]>;
  getSessionInfo(sessionId: string, options?: { dir?: string }): Promise<SdkSessionInfo | undefined>;
  getSessionMessages(sessionId: string, options?: { dir?: string }): Promise<SdkStoredMessage[]>;
  deleteSession(sessionId: string, options?: { dir?: string }): Promise<void>;
}

/** A running conversation. What it yields is read by `messageOf`. */
export interface ClaudeQuery extends AsyncIterable<unknown> {
  interrupt(): Promise<unknown>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  setModel(model?: string): Promise<void>;
  initializationResult(): Promise<SdkInitialization>;
  close(): void;
}

export type PermissionMode = "default" | "acceptEdits" | "bypassPermissions" | "plan" | "dontAsk" | "auto";

export interface SdkInitialization {
  readonly commands: readonly SdkCommand[];
  readonly models: readonly SdkModel[];
  readonly account: {
    readonly tokenSource?: string;
    readonly apiKeySource?: string;
    readonly apiProvider?: string;
  };
}

interface SdkCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
}

export interface SdkModel {
  readonly value: string;
  readonly displayName: string;
  readonly description: string;
  readonly resolvedModel?: string;
}

export interface SdkUserMessage {
  type: "user";
  message: { role: "user"; content: SdkContentBlock[] };
  parent_tool_use_id: null;
  uuid?: `${string}-${string}-${string}-${string}-${string}`;
  session_id?: string;
}

export type SdkContentBlock =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: ImageType; data: string } | { type: "url"; url: string } }
  | { type: "document"; source: { type: "base64"; media_type: "application/pdf"; data: string } };

export type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

export interface QueryOptions {
  cwd?: string;
  additionalDirectories?: string[];
  env?: Record<string, string | undefined>;
  model?: string;
  resume?: string;
  sessionId?: string;
  permissionMode?: PermissionMode;
  allowDangerouslySkipPermissions?: boolean;
  allowedTools?: string[];
  disallowedTools?: string[];
  toolAliases?: Record<string, string>;
  mcpServers?: Record<string, SdkMcpServerConfig>;
  includePartialMessages?: boolean;
  systemPrompt?: { type: "preset"; preset: "claude_code"; append?: string };
  pathToClaudeCodeExecutable?: string;
  settingSources?: ("user" | "project" | "local")[];
  canUseTool?: CanUseTool;
  onElicitation?: OnElicitation;
  spawnClaudeCodeProcess?: (options: SdkSpawnOptions) => SdkProcess;
}

export interface SdkSpawnOptions {
  command: string;
  args: string[];
  cwd?: string;
  env: Record<string, string | undefined>;
  signal: AbortSignal;
}

/** The part of a process that the SDK needs; Node's `ChildProcess` has it. */
interface SdkProcess {
  stdin: Writable;
  stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  once(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  once(event: "error", listener: (error: Error) => void): void;
  off(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  off(event: "error", listener: (error: Error) => void): void;
}

export type SdkMcpServerConfig =
  | SdkServer
  | { type?: "stdio"; command: string; args?: string[]; env?: Record<string, string> }
  | { type: "http" | "sse"; url: string; headers?: Record<string, string> };

/** A server in this process. What it is made of is the SDK's own. */
interface SdkServer {
  type: "sdk";
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: an object of the MCP library inside the SDK; it is only handed back to it
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  instance: any;
}

export interface SdkTool {
  name: string;
  description: string;
  /** A zod shape. */
  inputSchema: Record<string, ZodType>;
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean };
  handler(input: unknown, extra: unknown): Promise<SdkToolResult>;
}

export interface SdkToolResult {
  content: ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[];
  isError?: boolean;
  [key: string]: unknown;
}

export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: PermissionContext,
) => Promise<PermissionResult>;

export interface PermissionContext {
  signal: AbortSignal;
  toolUseID: string;
  suggestions?: PermissionUpdate[];
  suppressAlwaysAllowRule?: boolean;
  mcpServer?: { name: string; source: string };
}

export type PermissionResult =
  | {
      behavior: "allow";
      updatedInput?: Record<string, unknown>;
      updatedPermissions?: PermissionUpdate[];
      decisionClassification?: "user_temporary" | "user_permanent";
    }
  | { behavior: "deny"; message: string; interrupt?: boolean; decisionClassification?: "user_reject" };

type Destination = "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";

export type PermissionUpdate =
  | {
      type: "addRules" | "replaceRules" | "removeRules";
      rules: { toolName: string; ruleContent?: string }[];
      behavior: "allow" | "deny" | "ask";
      destination: Destination;
    }
  | { type: "setMode"; mode: PermissionMode; destination: Destination }
  | { type: "addDirectories" | "removeDirectories"; directories: string[]; destination: Destination };

export type OnElicitation = (
  request: {
    message: string;
    mode?: "form" | "url";
    url?: string;
    elicitationId?: string;
    requestedSchema?: Record<string, unknown>;
  },
  options: { signal: AbortSignal },
) => Promise<{
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
}>;

interface SdkSessionInfo {
  readonly sessionId: string;
  readonly summary: string;
  readonly lastModified: number;
  readonly cwd?: string;
}

interface SdkStoredMessage {
  readonly type: "user" | "assistant" | "system";
  readonly uuid: string;
  readonly message: unknown;
  readonly parent_tool_use_id: string | null;
}
