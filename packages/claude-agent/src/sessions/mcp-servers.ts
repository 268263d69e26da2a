// Converts the client's MCP servers to Claude Code's options.
import type { McpServer } from "@agentclientprotocol/sdk";
import { ClaudeError } from "../errors/claude-error.ts";
import type { SdkMcpServerConfig } from "../sdk/sdk.ts";
import { serverName } from "../tools/client-tools.ts";

export function mcpServers(servers: readonly McpServer[]): Record<string, SdkMcpServerConfig> {
  return Object.fromEntries(servers.map((server) => [normalizeName(server), convertServer(server)]));
}

/** A server that took the place of ours would get everything that Claude writes and runs. */
function normalizeName({ name }: McpServer): string {
  if (name !== serverName) return name;
  throw new ClaudeError(
    "bad_request",
    `An MCP server cannot be called "${serverName}" here: that is the name of the client's own tools. Give it another name.`,
  );
}

function convertServer(server: McpServer): SdkMcpServerConfig {
  if ("type" in server) return { type: server.type, url: server.url, headers: record(server.headers) };
  return { type: "stdio", command: server.command, args: server.args, env: record(server.env) };
}

function record(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
