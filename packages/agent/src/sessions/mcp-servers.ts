// The MCP servers of a session as its client names them.
import type { McpServer } from "@agentclientprotocol/sdk";
import type { McpServerConfig } from "../mcp/server-config.ts";
import { SessionError } from "./session-error.ts";

export function clientServers(servers: readonly McpServer[]): readonly McpServerConfig[] {
  return servers.map(clientServer);
}

function clientServer(server: McpServer): McpServerConfig {
  const { name } = server;
  if (!("type" in server)) {
    const { command, args } = server;
    return { name, origin: "client", type: "stdio", command, args, env: byName(server.env) };
  }
  if (server.type === "sse") {
    throw new SessionError(
      "bad_request",
      `The MCP server ${name} uses sse, which this agent does not speak. Use http or stdio.`,
    );
  }
  return { name, origin: "client", type: "http", url: server.url, headers: byName(server.headers) };
}

function byName(pairs: readonly { readonly name: string; readonly value: string }[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
