// The environment of an agent: the user's own, because agents are configured through it, without the secret of this host.
import type { AgentCommand } from "./registry.ts";

/** What would let an agent command the host that runs it. */
const ourSecrets = ["SIGNALBOX_TOKEN"] as const;

export function agentEnvironment(
  { env = {}, defaultEnv = {} }: Pick<AgentCommand, "env" | "defaultEnv">,
  users: NodeJS.ProcessEnv,
): Record<string, string> {
  const all: NodeJS.ProcessEnv = { ...defaultEnv, ...users, ...env };
  for (const name of ourSecrets) delete all[name];
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
