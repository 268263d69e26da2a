// Decides how the agent of a thread runs on this machine: sandboxed or not, with which definition, and how that is described to a person.
import type { Config } from "@signalbox/config";
import type { ThreadRow, ThreadSandbox } from "@signalbox/protocol";
import {
  type AgentPlaces,
  cacheVariables,
  canMountOverlay,
  canSandboxAgents,
  type Enforcement,
  proveEnforcement,
} from "@signalbox/sandbox";
import { makeAgentEnvironment } from "../agents/agent-environment.ts";
import { copyPrivateFolder, findPrivateFolder, listPrivateFolders } from "../agents/agent-home.ts";
import type { AgentProcessOptions } from "../agents/agent-process.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { sandboxAgent } from "../agents/sandbox-agent.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { SessionServices } from "./session-services.ts";
import { hostsInEnvironment } from "./thread-proxy.ts";
import { describeThreadSandbox } from "./thread-sandbox.ts";

export interface PlacedAgent {
  /** The sandbox that its commands run in. */
  readonly enforcement: Enforcement;
  /** As it is started there. */
  readonly definition: AgentDefinition;
  /** The sandbox of its own process; undefined if only its commands are sandboxed, or nothing is. */
  readonly sandbox:
    | {
        readonly enforcement: NonNullable<AgentProcessOptions["sandbox"]>["enforcement"];
        readonly places: AgentPlaces;
      }
    | undefined;
  /** Hosts that a sandboxed agent must reach: those in its row, and those that the user's own variables name. */
  readonly hosts: readonly string[];
  /** Describes its sandbox in a mode, or without one (null) for an agent that has no modes. */
  readonly describe: (modeId: string | null) => ThreadSandbox;
}

export async function placeAgent(
  services: Pick<SessionServices, "enforcement"> & { readonly folder: Pick<DataFolder, "path"> },
  { sandbox, agents }: Pick<Config, "sandbox" | "agents">,
  thread: Pick<ThreadRow, "id" | "agent_id" | "parent_thread_id" | "sandbox_choice">,
  usual: AgentDefinition,
): Promise<PlacedAgent> {
  const { mode, network, ask_commands: asksCommands } = sandbox;
  // Where the user turned the sandbox off and this project wants one, it has one.
  const proven = await services.enforcement;
  const isOff = mode === "off";
  const enforcement = isOff === (proven.kind === "off") ? proven : await proveEnforcement({ off: isOff });
  const wanted = thread.sandbox_choice ?? agents[thread.agent_id]?.sandbox;
  const dataFolder = services.folder.path;
  if (thread.parent_thread_id !== null) await copyPrivateFolder(dataFolder, thread.parent_thread_id, thread.id);
  const placement = sandboxAgent({
    definition: usual,
    wanted,
    enforcement,
    env: process.env,
    privateFolder: findPrivateFolder(dataFolder, thread.id),
    canOverlay: canSandboxAgents(enforcement) && (await canMountOverlay(enforcement, listPrivateFolders(dataFolder))),
  });
  const facts = { enforcement, mode, network: network.isOpen, networkAllow: network.allow, asksCommands };
  if (placement.type === "unsandboxed") {
    const describe = (modeId: string | null) =>
      describeThreadSandbox({ ...facts, definition: usual, placement, modeId });
    return { enforcement, definition: usual, sandbox: undefined, hosts: [], describe };
  }
  const definition = withCaches(placement.definition, dataFolder, enforcement);
  // An agent's own variables name its servers, as its row does.
  const hosts = [...placement.hosts, ...hostsInEnvironment(makeAgentEnvironment(definition, process.env))];
  const describe = (modeId: string | null) =>
    describeThreadSandbox({ ...facts, definition, placement: { ...placement, hosts }, modeId });
  return { enforcement, definition, sandbox: placement, hosts, describe };
}

/** Inside, the usual caches of package managers and compilers are read-only. */
function withCaches(definition: AgentDefinition, dataFolder: string, enforcement: Enforcement): AgentDefinition {
  // An agent always has a network: it must reach its model.
  const caches = cacheVariables(dataFolder)({ enforcement, policy: { network: "on" } });
  return { ...definition, env: { ...definition.env, ...caches } };
}
