// One running MCP server: connected, asked for its tools, called, and closed.

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
  /** Milliseconds until the server must have answered. */
  readonly startLimit: number;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
  readonly onToolsChanged: () => void;
  /** It ended by itself; the words say how. */
  readonly onDeath: (words: string) => void;
}

const goodbyeLimit = 1000;
/** They go into every request to the model. */
const longestInstructions = 4000;
const mostPages = 100;
const mostTools = 500;
/** The executor ends a call that takes too long; the SDK's own limit must not be shorter. */
const noLimit = 2_147_483_647;

const unsupportedVersion: number = ProtocolErrorCode.UnsupportedProtocolVersion;
const noSuchMethod: number = ProtocolErrorCode.MethodNotFound;

export class ServerConnection {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #startLimit: number;
  #closed = false;

  private constructor(client: Client, transport: Transport, startLimit: number) {
    this.#client = client;
    this.#transport = transport;
    this.#startLimit = startLimit;
  }

  /**
   * Throws an error whose message says why the server does not run. Nearly every server knows the greeting that MCP began with; one
   * that does not is started again and asked which revisions it speaks.
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
    const connection = new ServerConnection(client, transport, options.startLimit);
    let problem = "";
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no EventTarget
    client.onerror = (error) => {
      problem = error.message;
    };
    try {
      await client.connect(transport, { timeout: options.startLimit, signal: options.signal });
    } catch (error) {
      await connection.close();
      throw new Error(await startProblem(error, problem, program), { cause: error });
    }
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no EventTarget
    client.onclose = () => {
      if (connection.#closed) return;
      void (program?.ended ?? Promise.resolve(problem || "the connection broke")).then((words) =>
        options.onDeath([words, program?.errors().split("\n").at(-1)].filter(Boolean).join(": ")),
      );
    };
    return connection;
  }

  get instructions(): string | null {
    return this.#client.getInstructions()?.slice(0, longestInstructions) ?? null;
  }

  /** All pages. `dropped` counts what was no tool, named twice, or too much. */
  async tools(): Promise<{ readonly tools: readonly ListedTool[]; readonly dropped: number }> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return { tools: [], dropped: 0 };
    const tools = new Map<string, ListedTool>();
    const cursors = new Set<string>();
    let dropped = 0;
    let cursor: string | undefined;
    for (let pages = 0; pages < mostPages; pages++) {
      const request = { method: "tools/list", params: cursor === undefined ? {} : { cursor } };
      const page = await this.#client.request(request, toolsPage, { timeout: this.#startLimit });
      for (const value of page.tools) {
        const tool = readListedTool(value);
        if (tool === undefined || tools.has(tool.name) || tools.size >= mostTools) dropped++;
        else tools.set(tool.name, tool);
      }
      cursor = page.nextCursor;
      // A cursor that comes again would lead in circles.
      if (cursor === undefined || cursors.has(cursor) || tools.size >= mostTools) break;
      cursors.add(cursor);
    }
    return { tools: [...tools.values()], dropped };
  }

  call(name: string, args: Record<string, unknown>, { signal, onProgress }: ToolContext): Promise<CallToolResult> {
    return this.#client.callTool(
      { name, arguments: args },
      { signal, timeout: noLimit, onprogress: ({ progress, total, message }) => onProgress(progress, total, message) },
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#transport instanceof StreamableHTTPClientTransport) {
      // So that the server need not remember us; one that does not answer is none of our concern any more.
      await Promise.race([
        this.#transport.terminateSession().catch(() => {}),
        pause(goodbyeLimit, undefined, { ref: false }),
      ]);
    }
    // The client does not wait for the transport's end once it has seen it go.
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

/** Whether a server's answer to the greeting is that it knows only newer ones. Over HTTP the SDK hands that on as the text of a refusal. */
function isTooNew(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === unsupportedVersion || error.code === noSuchMethod;
  return error instanceof SdkHttpError && error.message.includes(String(unsupportedVersion));
}

/** Of a program that ended, its last words say more than "connection closed". */
async function startProblem(error: unknown, problem: string, program: Program | undefined): Promise<string> {
  const message = errorText(error);
  if (error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401)) {
    return `it wants a log-in (${message}). Give it an Authorization header in the config.`;
  }
  if (program === undefined) return message;
  const errors = program.errors();
  // What the program itself left behind says more than that it is gone.
  const words = problem || (message === "Connection closed" ? "" : message);
  return [words, await program.ended, errors === "" ? "" : `it wrote:\n${errors}`].filter(Boolean).join("; ");
}
