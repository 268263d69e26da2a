// All MCP servers of a session, from the five places that can name one. Of two with the same name the first counts: the
// client's, the user's, the project's, that of `.mcp.json`, then those of skills.
import type { McpServer } from "@agentclientprotocol/sdk";
import type { McpServerKeys } from "../config/config.ts";
import {
  type McpServerConfigs,
  mcpServersFromClient,
  mcpServersFromConfig,
  readMcpJson,
} from "../mcp/server-config.ts";
import type { Skill } from "../skills/skill.ts";

export interface ServerPlaces {
  readonly cwd: string;
  readonly client: readonly McpServer[];
  readonly config: McpServerKeys;
  readonly skills: readonly Skill[];
}

export function mcpServersOf({ cwd, client, config, skills }: ServerPlaces): McpServerConfigs {
  const places = [
    mcpServersFromClient(client),
    mcpServersFromConfig(config.user, "user", "config.json"),
    mcpServersFromConfig(config.project, "project", ".signalbox/config.json"),
    readMcpJson(cwd),
    ...skills.map(({ name, origin, mcpServers }) => mcpServersFromConfig(mcpServers, origin, `the skill ${name}`)),
  ];
  return {
    servers: places.flatMap(({ servers }) => servers),
    problems: places.flatMap(({ problems }) => problems),
  };
}
