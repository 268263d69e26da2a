// Finds the agent that a command names, or says which there are.
import type { Diagnostics } from "@signalbox/host";
import { suggest, UsageError } from "./arguments.ts";

/** Throws a UsageError where there is no such agent. */
export function knownAgent({ agents }: Pick<Diagnostics, "agents">, id: string) {
  const agent = agents.find(id);
  if (agent !== undefined) return agent;
  const ids = agents.all().map((each) => each.id);
  throw new UsageError(`There is no agent ${id}.${suggest(id, ids)} \`signalbox agents\` lists them.`);
}
