// Finds the agent of a thread among those that Signalbox can start.
import { recordedAgentName } from "@signalbox/protocol";
import type { AgentDefinition } from "../agents/registry.ts";
import { HostError } from "../data/host-error.ts";
import type { SessionServices } from "./session-services.ts";

/** Throws a sentence that says which agents there are. */
export function findAgent(agents: SessionServices["agents"], agentId: string): AgentDefinition {
  const definition = agents.find(agentId);
  if (definition !== undefined) return definition;
  const recorded = recordedAgentName(agentId);
  if (recorded !== null) {
    throw new HostError(
      "conflict",
      `${recorded} runs in another program, and Signalbox only records it: go on there, or hand the thread over to another agent.`,
    );
  }
  const known = agents.all().map((agent) => agent.id);
  throw new HostError("not_found", `There is no agent ${agentId}. Known agents: ${known.join(", ")}.`);
}
