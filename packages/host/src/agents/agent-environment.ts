// Builds the environment of an agent: the user's, because it configures agents, without the secret of this host.
import type { AgentCommand } from "./registry.ts";

/** An agent with these could command the host, or read and command other machines. */
const ourSecrets = ["SIGNALBOX_TOKEN", "SIGNALBOX_SHARED_URL", "SIGNALBOX_SHARED_KEY"] as const;

export function makeAgentEnvironment(
  { env = {}, userEnv: { defaults = {}, without = [] } = {}, keys }: Pick<AgentCommand, "env" | "userEnv" | "keys">,
  users: NodeJS.ProcessEnv,
): Record<string, string> {
  const all: NodeJS.ProcessEnv = { ...defaults, ...users };
  // An empty variable is no key.
  for (const [name, key] of Object.entries(keys?.kept?.() ?? {})) all[name] ||= key;
  Object.assign(all, env);
  for (const name of [...ourSecrets, ...without]) delete all[name];
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
