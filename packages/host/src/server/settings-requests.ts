// Carries out what a person changes on the settings page: keys of agents, and agents to install.
import { readKey } from "@signalbox/config/keys";
import { type ClientMessageOf, isJsonObject, type McpServerRow, messageOf } from "@signalbox/protocol";
import type { AgentDefinition } from "../agents/registry.ts";
import { HostError } from "../data/host-error.ts";
import type { HostServices } from "./host-services.ts";

/** Installs the agent and sends its output to every screen. Throws a HostError. */
export async function installAgent(agentId: string, services: HostServices): Promise<void> {
  const { installer, fanOut, readiness } = services;
  const agent = agentOf(agentId, services);
  const report = (progress: { message: string; output?: string; done?: number; total?: number }, finished: boolean) =>
    fanOut.sendProgress({ type: "host.progress", task: "agents.install", subject: agent.id, ...progress, finished });
  try {
    await installer.install(agent, (progress) => report(progress, false));
  } catch (error) {
    // A second installation that was refused must not look like the end of the running one.
    if (!installer.isRunning(agentId)) report({ message: messageOf(error) }, true);
    throw error;
  }
  readiness.recordSuccess(agent.id);
  report({ message: "Installed." }, true);
}

/**
 * Keeps or removes a key. A new one is tested first: what its provider refuses is not kept. Returns what the test said; null for a removal. Throws a
 * HostError.
 */
export async function changeKey(
  message: ClientMessageOf<"keys.save" | "keys.remove">,
  services: HostServices,
): Promise<string | null> {
  const { agent_id, variable } = message;
  const agent = agentOf(agent_id, services);
  // Any other variable would change how the agent's program behaves.
  if (agent.keyVariables?.includes(variable) !== true)
    throw new HostError("bad_request", `${agent.label} does not read a key from ${variable}.`);
  let text: string | null = null;
  try {
    if (message.control === "keys.save") {
      const key = readKey(message.value);
      // The addresses of config.json are for our own agent.
      const settings = agent_id === ownAgent ? services.userConfig.config.providers : {};
      const { testKey } = await import("../agents/test-key.ts");
      const test = await testKey(variable, key, settings, process.env);
      if (test.result === "refused") throw new Error(test.text);
      await services.keys.save(agent_id, variable, key);
      text = test.text;
    } else await services.keys.remove(agent_id, variable);
  } catch (error) {
    throw new HostError("bad_request", messageOf(error), { cause: error });
  }
  // What it lacked was a key, perhaps this one.
  services.readiness.recordSuccess(agent_id);
  return text;
}

const ownAgent = "signalbox";

function agentOf(id: string, { agents }: HostServices): AgentDefinition {
  const agent = agents.find(id);
  if (agent === undefined) throw new HostError("not_found", `There is no agent ${id}.`);
  return agent;
}

/** What became of each MCP server of the user's config.json. Those that are switched off are not started. */
export async function testMcpServers(services: HostServices): Promise<readonly McpServerRow[]> {
  const { userConfig, ledger } = services;
  userConfig.refresh();
  const names = Object.entries(userConfig.config.mcpServers.user).flatMap(([name, server]) =>
    isJsonObject(server) && server.disabled === true ? [] : [name],
  );
  if (names.length === 0) return [];
  const { startMcpServers } = await import("../agents/test-mcp-servers.ts");
  const found = await startMcpServers(agentOf("demo", services), { ledger });
  const problem = "It needs a command, or an address (url) that begins with http.";
  return names.map(
    (name) =>
      found.find((row) => row.name === name) ?? {
        name,
        status: "failed",
        tools: null,
        tool_names: [],
        left_out: [],
        problem,
        starting_since: null,
        restart: null,
        log_in: null,
      },
  );
}
