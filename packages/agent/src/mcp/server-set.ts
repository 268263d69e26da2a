// Holds all MCP servers of a session: their tools under unique names, and the status of each server.
import { ToolFailure } from "@signalbox/agent-kit";
import { createToolTitle, errorText, inferToolKind, locationsOf } from "@signalbox/tool-calls";
import { z } from "zod";
import { failed, type Tool, tool } from "../tools/tool.ts";
import type { ListedTool } from "./listed-tool.ts";
import { ManagedServer } from "./managed-server.ts";
import type { McpOptions, McpServerStatus } from "./mcp-session.ts";
import type { McpServerConfig } from "./server-config.ts";
import { resultOfServer } from "./server-result.ts";
import { mcpToolNames } from "./tool-names.ts";
import { withServerNames } from "./usable-schema.ts";

const anyInput = z.record(z.string(), z.unknown());
const defaultStartTimeoutMs = 30_000;
/** Characters. More than that would push the conversation itself out of the model's window. */
const outputLimit = 100_000;

export class ServerSet {
  readonly #servers: readonly ManagedServer[];
  readonly #onToolsChanged: () => void;
  #tools: readonly Tool[] = [];

  constructor(options: McpOptions) {
    this.#onToolsChanged = options.onToolsChanged;
    this.#servers = usableServers(options).map(
      (config) =>
        new ManagedServer(config, {
          workspace: options.workspace,
          version: options.version,
          network: config.origin !== "project" || options.projectNetwork,
          startTimeoutMs: options.startTimeoutMs ?? defaultStartTimeoutMs,
          onToolsChanged: () => this.#collect(),
          onNotice: options.onNotice,
        }),
    );
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  get statuses(): readonly McpServerStatus[] {
    return this.#servers.map(({ config: { name }, status, tools }) => ({
      name,
      state: status.type,
      tools: tools.length,
      toolNames: tools.map((listed) => listed.name),
      problem: status.type === "failed" ? status.problem : undefined,
      instructions: status.type === "running" ? status.connection.instructions : undefined,
    }));
  }

  async started(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.started()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  #collect(): void {
    const all = this.#servers.flatMap((server) => server.tools.map((listed) => ({ server, listed })));
    const names = mcpToolNames(all.map(({ server, listed }) => ({ server: server.config.name, tool: listed.name })));
    this.#tools = all.map(({ server, listed }, index) => mcpTool(names[index] ?? listed.name, server, listed));
    this.#onToolsChanged();
  }
}

/** The first of each name. A project's server at a URL is left out where projects have no network. */
function usableServers({ servers, projectNetwork, onNotice }: McpOptions): readonly McpServerConfig[] {
  const names = new Set<string>();
  return servers.filter((server) => {
    if (names.has(server.name)) {
      onNotice(
        `There are two MCP servers with the name ${server.name}; the second one (of the ${server.origin}) is not used.`,
      );
      return false;
    }
    names.add(server.name);
    if (server.type === "http" && server.origin === "project" && !projectNetwork) {
      onNotice(
        `The MCP server ${server.name} is at ${new URL(server.url).host}, and the project that names it may not use the network. Name it in your own config, or set sandbox.network there.`,
      );
      return false;
    }
    return true;
  });
}

/** A tool of an MCP server as a tool of ours. A server's claim that a tool only reads is not trusted. */
function mcpTool(name: string, server: ManagedServer, listed: ListedTool): Tool<Record<string, unknown>> {
  return tool({
    name,
    kind: inferToolKind(name),
    description: listed.description,
    input: anyInput,
    inputSchema: listed.inputSchema,
    readOnly: false,
    outputLimit,
    keepsBothEnds: true,
    describe: (args, cwd) => {
      const locations = locationsOf(args, cwd);
      return { title: createToolTitle(name), ...(locations.length === 0 ? {} : { locations }) };
    },
    async execute(args, context) {
      try {
        return resultOfServer(await server.call(listed.name, withServerNames(args, listed.renamed), context));
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof ToolFailure) throw error;
        return failed(`${server.config.name}/${listed.name} failed: ${errorText(error)}`);
      }
    },
  });
}
