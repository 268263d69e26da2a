// Requests about agents: testing, installing and logging in, their keys, and lists of agents and models.
import { z } from "zod";
import type { McpServerRow } from "../rows.ts";
import type { AgentRow, AgentTestRow } from "../setup-rows.ts";
import { type ActionDefinition, type QueryDefinition, result } from "./define.ts";
import { agentId, flag, nothing } from "./fields.ts";

const ofAgent = z.object({ agent_id: agentId });
const key = { agent_id: agentId, variable: z.string().min(1).max(200) };
type AgentTestResult = { readonly test: AgentTestRow };

export const agentRequests = {
  "agents.add": {
    about: "Adds an agent that is not registered, until the host ends. The same command again gets the same id.",
    params: z.object({
      command: z.string().min(1).max(4000).describe("a path, or the name of a program"),
      args: z.array(z.string()).max(1000),
      env: z.record(z.string(), z.string()).optional().describe("wins over the host's environment"),
    }),
    result: result<{ readonly agent_id: string }>("agent_id"),
    device: "never",
  },
  "agents.test": {
    about: "Starts an agent once to see whether it works; `host.progress` reports the steps.",
    params: ofAgent,
    result: result<AgentTestResult>("test"),
  },
  "agents.log_in": {
    about: "Logs in to an agent by one of its methods (ACP `authenticate`), then tests it.",
    params: z.object({ agent_id: agentId, method_id: z.string().min(1).max(200) }),
    result: result<AgentTestResult>("test"),
  },
  "agents.log_out": {
    about: "Logs out of an agent (ACP `logout`), then tests it; `bad_request` if it does not support that.",
    params: ofAgent,
    result: result<AgentTestResult>("test"),
  },
  "agents.install": {
    about: "Installs an agent into the data folder, then tests it; `host.progress` has the output.",
    params: ofAgent,
    result: result<AgentTestResult>("test"),
  },
  "agents.cancel_install": { about: "Ends an installation.", params: ofAgent, result: result<void>() },
  "keys.save": {
    about: "Tests and saves a key for an agent. `note` is the provider's answer; no answer ever has the key.",
    params: z.object({ ...key, value: z.string().min(1).max(10_000) }),
    result: result<{ readonly note: string }>("note"),
  },
  "keys.remove": { about: "Removes a saved key.", params: z.object(key), result: result<void>() },
  "registry.refresh": {
    about: "Fetches the list of the ACP registry; on `unavailable` the previous list stays.",
    params: nothing,
    result: result<void>(),
  },
  "models.refresh": {
    about: "Fetches the list of models and prices; on `unavailable` the previous list stays.",
    params: nothing,
    result: result<void>(),
  },
  "mcp.test": {
    about: "Starts the MCP servers of config.json once and reports the state of each.",
    params: nothing,
    result: result<{ readonly servers: readonly McpServerRow[] }>("servers"),
  },
  "ollama.start": {
    about: "Starts Ollama until Signalbox ends; answered when Ollama answers.",
    params: nothing,
    result: result<void>(),
  },
} as const satisfies Record<string, ActionDefinition>;

export const agentQueries = {
  "agents.list": {
    about: "All agents and whether they are ready; with `versions`, each installed one is asked for its version.",
    params: z.object({ versions: flag }),
    row: result<AgentRow>("id", "label", "readiness", "reason", "version", "install", "login", "program"),
  },
} as const satisfies Record<string, QueryDefinition>;
