// All MCP servers of a session together: their tools under unique names, and what became of each.
import type { Tool } from "../tools/tool.ts";
import { ManagedServer } from "./managed-server.ts";
import type { McpOptions, McpServerStatus } from "./mcp-session.ts";
import { mcpTool } from "./mcp-tool.ts";
import type { McpServerConfig } from "./server-config.ts";
import { mcpToolNames } from "./tool-names.ts";

const startLimit = 30_000;

export class ServerSet {
  readonly #servers: readonly ManagedServer[];
  readonly #onToolsChanged: () => void;
  #tools: readonly Tool[] = [];

  constructor(options: McpOptions) {
    this.#onToolsChanged = options.onToolsChanged;
    this.#servers = wanted(options).map(
      (config) =>
        new ManagedServer(config, {
          workspace: options.workspace,
          version: options.version,
          network: config.origin !== "project" || options.projectNetwork,
          startLimit: options.startLimit ?? startLimit,
          onToolsChanged: () => this.#collect(),
          onNotice: options.onNotice,
        }),
    );
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  get statuses(): readonly McpServerStatus[] {
    return this.#servers.map(({ config: { name }, state, tools }) => ({
      name,
      state: state.type,
      tools: tools.length,
      problem: state.type === "failed" ? state.problem : null,
      instructions: state.type === "running" ? state.connection.instructions : null,
    }));
  }

  async started(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.started()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  #collect(): void {
    const all = this.#servers.flatMap((server) => server.tools.map((tool) => ({ server, tool })));
    const names = mcpToolNames(all.map(({ server, tool }) => ({ server: server.config.name, tool: tool.name })));
    this.#tools = all.map(({ server, tool }, index) => mcpTool(names[index] ?? tool.name, server, tool));
    this.#onToolsChanged();
  }
}

/** The first of each name. A project's server at a URL needs the network, and says so instead of starting. */
function wanted({ servers, projectNetwork, onNotice }: McpOptions): readonly McpServerConfig[] {
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
