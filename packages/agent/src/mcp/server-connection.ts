// Connects to one MCP server, lists what it has, calls its tools and closes the connection.
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  type CallToolResult,
  Client,
  type GetPromptResult,
  type ReadResourceResult,
  type ServerCapabilities,
  StreamableHTTPClientTransport,
  type Transport,
  UrlElicitationRequiredError,
  type VersionNegotiationMode,
} from "@modelcontextprotocol/client";
import type { HttpServerConfig, McpServerConfig, Program, StdioServerConfig } from "@signalbox/agent-kit";
import { cleanText } from "@signalbox/agent-kit";
import type { LoginStore } from "@signalbox/config/logins";
import type { Workspace } from "../tools/workspace.ts";
import { httpTransport, mayKnowOnlySse } from "./http-transport.ts";
import { type Listing, listPages } from "./list-pages.ts";
import { type ListedPrompt, readListedPrompt } from "./listed-prompt.ts";
import { type ListedTool, readListedTool } from "./listed-tool.ts";
import { type ListedResource, readListedResource } from "./resources.ts";
import type { Caller, ServerQuestions } from "./server-questions.ts";
import { isTooNew, startProblem } from "./start-problem.ts";
import { StdioTransport } from "./stdio-transport.ts";

export interface ConnectionOptions {
  readonly workspace: Workspace;
  readonly version: string;
  readonly network: boolean;
  /** How long the server may take to answer. */
  readonly startTimeoutMs: number;
  /** Aborts the start. */
  readonly signal: AbortSignal;
  readonly questions: ServerQuestions;
  readonly logins: LoginStore;
  readonly onListChanged: () => void;
  /** Called when the server ended by itself, with the reason. */
  readonly onDeath: (reason: string) => void;
}

const goodbyeTimeoutMs = 1000;
/** Instructions go into every request to the model. */
const maxInstructionsLength = 4000;
/** The executor limits the time of a call. The SDK's own timeout must not be shorter. */
const maxTimeoutMs = 2_147_483_647;

export class ServerConnection {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #questions: ServerQuestions;
  readonly #startTimeoutMs: number;
  #closed = false;

  private constructor(client: Client, transport: Transport, { questions, startTimeoutMs }: ConnectionOptions) {
    this.#client = client;
    this.#transport = transport;
    this.#questions = questions;
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
      const { cause } = error as Error;
      if (isTooNew(cause)) return await ServerConnection.#connect(config, options, "auto");
      if (config.type !== "http" || !mayKnowOnlySse(cause)) throw error;
      return await ServerConnection.#connect({ ...config, type: "sse" }, options, "legacy").catch(() => {
        throw error;
      });
    }
  }

  static async #connect(
    config: McpServerConfig,
    options: ConnectionOptions,
    mode: VersionNegotiationMode,
  ): Promise<ServerConnection> {
    const program = config.type === "stdio" ? await startProgram(config, options) : undefined;
    const transport =
      config.type === "stdio" && program !== undefined
        ? new StdioTransport(program)
        : httpTransport(config as HttpServerConfig, options.logins);
    const client = newClient(options, mode);
    const connection = new ServerConnection(client, transport, options);
    let problem = "";
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no EventTarget
    client.onerror = (error) => {
      problem = error.message;
    };
    try {
      await client.connect(transport, { timeout: options.startTimeoutMs, signal: options.signal });
    } catch (error) {
      await connection.close();
      throw new Error(await startProblem(error, problem, program, config), { cause: error });
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
    const words = this.#client.getInstructions();
    return words === undefined ? undefined : cleanText(words, maxInstructionsLength);
  }

  can(ability: keyof ServerCapabilities): boolean {
    return this.#client.getServerCapabilities()?.[ability] !== undefined;
  }

  async tools(): Promise<Listing<ListedTool>> {
    if (!this.can("tools")) return { items: [], dropped: 0 };
    return await listPages(this.#client, {
      method: "tools/list",
      field: "tools",
      read: readListedTool,
      keyOf: ({ name }) => name,
      timeoutMs: this.#startTimeoutMs,
    });
  }

  async prompts(): Promise<readonly ListedPrompt[]> {
    if (!this.can("prompts")) return [];
    const { items } = await listPages(this.#client, {
      method: "prompts/list",
      field: "prompts",
      read: readListedPrompt,
      keyOf: ({ name }) => name,
      timeoutMs: this.#startTimeoutMs,
    });
    return items;
  }

  /** Resources, then templates. A server with resources need not know templates. */
  async resources(): Promise<readonly ListedResource[]> {
    const list = (method: "resources/list" | "resources/templates/list", field: string) =>
      listPages(this.#client, {
        method,
        field,
        read: readListedResource,
        keyOf: ({ uri }) => uri,
        timeoutMs: this.#startTimeoutMs,
      });
    const { items } = await list("resources/list", "resources");
    const templates = await list("resources/templates/list", "resourceTemplates").catch(() => ({ items: [] }));
    return [...items, ...templates.items];
  }

  async readResource(uri: string, caller: Caller): Promise<ReadResourceResult> {
    return await this.#questions.during(caller, () => this.#client.readResource({ uri }, buildOptions(caller)));
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>>, caller: Caller): Promise<GetPromptResult> {
    const params = { name, arguments: { ...args } };
    return await this.#questions.during(caller, () => this.#client.getPrompt(params, buildOptions(caller)));
  }

  async call(name: string, args: Record<string, unknown>, caller: Caller): Promise<CallToolResult> {
    const params = { name, arguments: args };
    const send = () => this.#client.callTool(params, buildOptions(caller));
    return await this.#questions.during(caller, async () => {
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof UrlElicitationRequiredError)) throw error;
        await this.#questions.askAddresses(error.elicitations, caller.signal);
        return await send();
      }
    });
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

function newClient({ version, workspace, questions, onListChanged }: ConnectionOptions, mode: VersionNegotiationMode) {
  const { abilities } = questions;
  const client = new Client(
    { name: "signalbox", version },
    {
      capabilities: { roots: {}, ...(abilities !== undefined && { elicitation: abilities }) },
      versionNegotiation: { mode },
      listChanged: {
        tools: { autoRefresh: false, onChanged: onListChanged },
        prompts: { autoRefresh: false, onChanged: onListChanged },
      },
    },
  );
  client.setRequestHandler("roots/list", () => ({
    roots: workspace.roots.map((root) => ({ uri: pathToFileURL(root).href })),
  }));
  if (abilities !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => ({
      ...(await questions.ask(params, mcpReq.signal)),
    }));
    client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
      questions.complete(params.elicitationId),
    );
  }
  return client;
}

function buildOptions({ signal, onProgress }: Caller) {
  return {
    signal,
    timeout: maxTimeoutMs,
    ...(onProgress !== undefined && {
      onprogress: ({ progress, total, message }: { progress: number; total?: number; message?: string }) =>
        onProgress(progress, total, message),
    }),
  };
}

function startProgram(
  { command, args, env }: StdioServerConfig,
  { workspace, network }: ConnectionOptions,
): Promise<Program> {
  return workspace.spawn({ command, args, env, cwd: workspace.cwd, network });
}
