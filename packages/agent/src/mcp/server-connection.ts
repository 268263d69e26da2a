// Connects to one MCP server, lists its tools, calls them and closes the connection.
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  type CallToolResult,
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
  type VersionNegotiationMode,
} from "@modelcontextprotocol/client";
import { errorText } from "@signalbox/tool-calls";
import type { ToolContext } from "../tools/tool.ts";
import type { Program, Workspace } from "../tools/workspace.ts";
import { type ListedTool, readListedTool, toolsPage } from "./listed-tool.ts";
import type { McpServerConfig } from "./server-config.ts";
import { StdioTransport } from "./stdio-transport.ts";

export interface ConnectionOptions {
  readonly workspace: Workspace;
  readonly version: string;
  readonly network: boolean;
  /** How long the server may take to answer. */
  readonly startTimeoutMs: number;
  /** Aborts the start. */
  readonly signal: AbortSignal;
  readonly onToolsChanged: () => void;
  /** Called when the server ended by itself, with the reason. */
  readonly onDeath: (reason: string) => void;
}

const goodbyeTimeoutMs = 1000;
/** Instructions go into every request to the model. */
const maxInstructionsLength = 4000;
const maxPages = 100;
const maxTools = 500;
/** The executor limits the time of a call. The SDK's own timeout must not be shorter. */
const maxTimeoutMs = 2_147_483_647;

const unsupportedVersion: number = ProtocolErrorCode.UnsupportedProtocolVersion;
const noSuchMethod: number = ProtocolErrorCode.MethodNotFound;

export class ServerConnection {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #startTimeoutMs: number;
  #closed = false;

  private constructor(client: Client, transport: Transport, startTimeoutMs: number) {
    this.#client = client;
    this.#transport = transport;
    this.#startTimeoutMs = startTimeoutMs;
  }

  /**
   * Throws an error whose message says why the server does not run. Nearly every server knows the first handshake of MCP. One that does not
   * is started again and asked which revisions it knows.
   */
  static async open(config: McpServerConfig, options: ConnectionOptions): Promise<ServerConnection> {
    try {
      return await ServerConnection.#connect(config, options, "legacy");
    } catch (error) {
      if (!isTooNew((error as Error).cause)) throw error;
      return await ServerConnection.#connect(config, options, "auto");
    }
  }

  static async #connect(
    config: McpServerConfig,
    options: ConnectionOptions,
    mode: VersionNegotiationMode,
  ): Promise<ServerConnection> {
    const program = config.type === "stdio" ? await startProgram(config, options) : undefined;
    const transport = program === undefined ? httpTransport(config) : new StdioTransport(program);
    const client = new Client(
      { name: "signalbox", version: options.version },
      {
        capabilities: { roots: {} },
        versionNegotiation: { mode },
        listChanged: { tools: { autoRefresh: false, onChanged: options.onToolsChanged } },
      },
    );
    client.setRequestHandler("roots/list", () => ({
      roots: options.workspace.roots.map((root) => ({ uri: pathToFileURL(root).href })),
    }));
    const connection = new ServerConnection(client, transport, options.startTimeoutMs);
    let problem = "";
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no EventTarget
    client.onerror = (error) => {
      problem = error.message;
    };
    try {
      await client.connect(transport, { timeout: options.startTimeoutMs, signal: options.signal });
    } catch (error) {
      await connection.close();
      throw new Error(await startProblem(error, problem, program), { cause: error });
    }
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no EventTarget
    client.onclose = () => {
      if (connection.#closed) return;
      void (program?.ended ?? Promise.resolve(problem || "the connection broke")).then((reason) =>
        options.onDeath([reason, program?.errors().split("\n").at(-1)].filter(Boolean).join(": ")),
      );
    };
    return connection;
  }

  get instructions(): string | undefined {
    return this.#client.getInstructions()?.slice(0, maxInstructionsLength);
  }

  /** The tools of all pages. `dropped` counts what is not a tool, has the name of another one, or exceeds the limit. */
  async tools(): Promise<{ readonly tools: readonly ListedTool[]; readonly dropped: number }> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return { tools: [], dropped: 0 };
    const tools = new Map<string, ListedTool>();
    const cursors = new Set<string>();
    let dropped = 0;
    let cursor: string | undefined;
    for (let pages = 0; pages < maxPages; pages++) {
      const request = { method: "tools/list", params: cursor === undefined ? {} : { cursor } };
      const page = await this.#client.request(request, toolsPage, { timeout: this.#startTimeoutMs });
      for (const value of page.tools) {
        const tool = readListedTool(value);
        if (tool === undefined || tools.has(tool.name) || tools.size >= maxTools) dropped++;
        else tools.set(tool.name, tool);
      }
      cursor = page.nextCursor;
      // A cursor that repeats would never end.
      if (cursor === undefined || cursors.has(cursor) || tools.size >= maxTools) break;
      cursors.add(cursor);
    }
    return { tools: [...tools.values()], dropped };
  }

  call(name: string, args: Record<string, unknown>, { signal, onProgress }: ToolContext): Promise<CallToolResult> {
    return this.#client.callTool(
      { name, arguments: args },
      {
        signal,
        timeout: maxTimeoutMs,
        onprogress: ({ progress, total, message }) => onProgress(progress, total, message),
      },
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#transport instanceof StreamableHTTPClientTransport) {
      // Lets the server forget the session. It need not answer.
      await Promise.race([
        this.#transport.terminateSession().catch(() => {}),
        pause(goodbyeTimeoutMs, undefined, { ref: false }),
      ]);
    }
    // The client does not wait for a transport that it has seen closing.
    await this.#client.close().catch(() => {});
    await this.#transport.close().catch(() => {});
  }
}

function startProgram(
  config: McpServerConfig & { type: "stdio" },
  { workspace, network }: ConnectionOptions,
): Promise<Program> {
  const { command, args, env } = config;
  return workspace.spawn({ command, args, env, cwd: workspace.cwd, network });
}

function httpTransport(config: McpServerConfig): Transport {
  if (config.type !== "http") throw new Error("Only a server with a URL has an HTTP transport");
  return new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers: { ...config.headers } } });
}

/** True when the server knows only newer revisions than ours. Over HTTP the SDK gives that as the text of an error. */
function isTooNew(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === unsupportedVersion || error.code === noSuchMethod;
  return error instanceof SdkHttpError && error.message.includes(String(unsupportedVersion));
}

/** Of a program that ended, its stderr says more than "connection closed". */
async function startProblem(error: unknown, problem: string, program: Program | undefined): Promise<string> {
  const message = errorText(error);
  if (error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401)) {
    return `it requires a log-in (${message}). Give it an Authorization header in the config.`;
  }
  if (program === undefined) return message;
  const errors = program.errors();
  const reason = problem || (message === "Connection closed" ? "" : message);
  return [reason, await program.ended, errors === "" ? "" : `it wrote:\n${errors}`].filter(Boolean).join("; ");
}
