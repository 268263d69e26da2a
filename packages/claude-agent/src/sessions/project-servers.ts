// Reads the MCP servers that the project names in `.mcp.json`. Claude Code itself obeys nothing of the folder; it gets these as programs of
// ours that run the server in the sandbox.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describeProjectServer, readMcpJson, type StdioServerConfig } from "@signalbox/agent-kit";
import { findDataFolder } from "../sdk/data-folder.ts";
import { readFields } from "../sdk/json.ts";
import type { SdkMcpServerConfig } from "../sdk/sdk.ts";
import { serverName } from "../tools/client-tools.ts";
import type { SessionPlace, SessionServices } from "./session-services.ts";

type Place = Pick<SessionPlace, "cwd" | "folders">;

export function readProjectServers(services: SessionServices, place: Place): Record<string, SdkMcpServerConfig> {
  const { env, log, secretNames } = services;
  const { servers, problems } = readMcpJson(place.cwd, env, secretNames);
  for (const problem of problems) log(problem);
  const usersNames = readUserServerNames(env, place.cwd);
  const usable = servers.filter((server) => {
    const problem = findProblem(server, usersNames);
    if (problem !== undefined) log(`The MCP server ${server.name} of the project is not used: ${problem}`);
    return problem === undefined;
  });
  return Object.fromEntries(
    usable.flatMap((server) => (server.type === "stdio" ? [[server.name, wrapServer(server, services, place)]] : [])),
  );
}

/** A server in the place of another one would get what is meant for that. */
function findProblem(
  { name, type }: { name: string; type: string },
  usersNames: readonly string[],
): string | undefined {
  if (name === serverName) return "that is the name of the client's own tools.";
  if (usersNames.includes(name)) return "Claude Code has one of yours with this name.";
  return type === "stdio" ? undefined : "only programs are started for a project. Add it to your own settings.";
}

function wrapServer(server: StdioServerConfig, services: SessionServices, { cwd, folders }: Place): SdkMcpServerConfig {
  const { sandbox, secretNames, ownProgram, env } = services;
  const { command, args } = server;
  const [program, ...before] = ownProgram;
  return {
    type: "stdio",
    command: program,
    args: [...before, "claude", "--project-server"],
    env: describeProjectServer({
      command,
      args,
      env: server.env,
      cwd,
      folders: [cwd, ...folders],
      dataFolder: findDataFolder(env),
      mode: sandbox?.mode === "rx" ? "rx" : "sandbox",
      network: sandbox?.network === true,
      secretNames,
    }),
  };
}

/** Those that the user added to Claude Code, for all folders and for this one. */
function readUserServerNames(env: NodeJS.ProcessEnv, cwd: string): readonly string[] {
  const file = join(env.CLAUDE_CONFIG_DIR || env.HOME || homedir(), ".claude.json");
  try {
    const { mcpServers, projects } = readFields(JSON.parse(readFileSync(file, "utf8")));
    const ofFolder = readFields(readFields(projects)[cwd]).mcpServers;
    return [...Object.keys(readFields(mcpServers)), ...Object.keys(readFields(ofFolder))];
  } catch {
    return []; // Claude Code has none
  }
}
