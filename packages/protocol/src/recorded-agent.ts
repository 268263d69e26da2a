// Names the agents that Signalbox does not start: `signalbox proxy` only records what they and their clients say. Their threads are read-only.

const prefix = "proxy:";

export function recordedAgentId(name: string): string {
  return `${prefix}${name}`;
}

/** The agent's name; null for an agent that Signalbox starts. */
export function recordedAgentName(agentId: string): string | null {
  return agentId.startsWith(prefix) ? agentId.slice(prefix.length) : null;
}
