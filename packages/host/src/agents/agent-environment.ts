// Builds the environment of an agent: the user's, because it configures agents, without the secret of this host.
import type { AgentCommand } from "./registry.ts";

/** An agent with these could command the host, or read and command other machines. */
const ourSecrets = ["SIGNALBOX_TOKEN", "SIGNALBOX_SHARED_URL", "SIGNALBOX_SHARED_KEY"] as const;

export function agentEnvironment(
  { env = {}, defaultEnv = {} }: Pick<AgentCommand, "env" | "defaultEnv">,
  users: NodeJS.ProcessEnv,
): Record<string, string> {
  const all: NodeJS.ProcessEnv = { ...defaultEnv, ...users, ...env };
  for (const name of ourSecrets) delete all[name];
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
