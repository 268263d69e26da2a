// Puts together every agent that can be started: our own, the known ones, those of the ACP registry and the user's, each with the keys that Signalbox keeps for it.
import type { Config } from "@signalbox/config";
import type { KeyStore } from "@signalbox/config/keys";
import type { AcpRegistry } from "./acp-registry/acp-registry.ts";
import { defineListedAgents } from "./acp-registry/listed-agents.ts";
import { listKnownAgents, listOwnAgents, type OwnProgram } from "./known-agents.ts";
import type { AgentDefinition } from "./registry.ts";

/** The id of Signalbox's agent, for which the keys of model providers are kept. */
export const signalboxAgentId = "signalbox";

interface AgentSources {
  readonly own: OwnProgram;
  readonly dataFolder: string;
  readonly config: Pick<Config, "provider" | "providers" | "agents">;
  readonly keys: KeyStore;
  /** The list of the ACP registry. */
  readonly acpRegistry: AcpRegistry;
  /** Agents beside these. */
  readonly more?: readonly AgentDefinition[];
}

/** Of two with the same id the later one counts. */
export function listAllAgents({
  own,
  dataFolder,
  config,
  keys,
  acpRegistry,
  more = [],
}: AgentSources): readonly AgentDefinition[] {
  const listKeptVariables = (id: string) =>
    keys.list().flatMap(({ agent, variable }) => (agent === id ? [variable] : []));
  const configured = Object.entries(config.agents).flatMap(([id, agent]) => defineConfigured(id, agent));
  const known = [
    ...listOwnAgents(own, dataFolder, config, () => listKeptVariables(signalboxAgentId)),
    ...listKnownAgents(dataFolder),
  ];
  const agents: readonly AgentDefinition[] = [
    ...known,
    ...defineListedAgents(acpRegistry.agents, dataFolder, new Set(known.map(({ id }) => id))),
    ...configured,
    ...more,
  ];
  return agents.map((agent) => ({
    ...agent,
    keys: { variables: [], ...agent.keys, kept: () => keys.readAgentKeys(agent.id) },
  }));
}

type ConfiguredAgent = Config["agents"][string];

/** An entry without a command only changes how a known agent runs. */
function defineConfigured(id: string, { command, args, env, label = id, quirks = {} }: ConfiguredAgent) {
  if (command === undefined) return [];
  const { read_missing_file: readMissingFile, ends_at_stdin_end: endsAtStdinEnd } = quirks;
  const configuredQuirks = {
    ...(readMissingFile !== undefined && { readMissingFile }),
    ...(endsAtStdinEnd !== undefined && { endsAtStdinEnd }),
  };
  return [{ id, command, args, env, label, configuredQuirks }];
}
