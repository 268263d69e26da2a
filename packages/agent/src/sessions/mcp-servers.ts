// Collects the MCP servers of a session from the five places that can name one. Of two with the same name the first counts: the client's, the
// user's, the project's, that of `.mcp.json`, then those of skills.
import type { McpServer } from "@agentclientprotocol/sdk";
import {
  type ConfigPlace,
  type McpServerConfigs,
  mcpServersFromClient,
  mcpServersFromConfig,
  readMcpJson,
} from "@signalbox/agent-kit";
import type { McpServers } from "@signalbox/config";
import { commandEnvironment } from "@signalbox/sandbox";
import type { Skill } from "../skills/skill.ts";

interface ServerPlaces {
  readonly cwd: string;
  readonly client: readonly McpServer[];
  readonly config: McpServers;
  readonly skills: readonly Skill[];
  readonly env: NodeJS.ProcessEnv;
  /** Variables that hold keys: a project's servers do not get them. */
  readonly secretNames: readonly string[];
}

export function collectMcpServers({ cwd, client, config, skills, env, secretNames }: ServerPlaces): McpServerConfigs {
  const environments = { user: env, project: commandEnvironment({ inherited: env, secretNames }) };
  const from = (origin: "user" | "project", place: string): ConfigPlace => ({
    origin,
    place,
    environment: environments[origin],
  });
  const places = [
    mcpServersFromClient(client),
    mcpServersFromConfig(config.user, from("user", "config.json")),
    mcpServersFromConfig(config.project, from("project", ".signalbox/config.json")),
    readMcpJson(cwd, env, secretNames),
    ...skills.map(({ name, origin, mcpServers }) =>
      mcpServersFromConfig(mcpServers, from(origin, `the skill ${name}`)),
    ),
  ];
  return {
    servers: places.flatMap(({ servers }) => servers),
    problems: places.flatMap(({ problems }) => problems),
  };
}
