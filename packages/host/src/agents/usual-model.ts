// Says which model of which provider answers a new thread of Signalbox's own agent, and at what price, before the agent is started.
import type { Config } from "@signalbox/config";
import { chosenProvider, findUsualModel, isProviderName, providers } from "@signalbox/config/providers";
import type { AgentModelRow } from "@signalbox/protocol";

/** Null while no provider is set up. */
export async function describeUsualModel(
  config: Pick<Config, "provider" | "providers">,
  env: NodeJS.ProcessEnv,
  dataFolder: string,
): Promise<AgentModelRow | null> {
  const provider = chosenProvider(config, env);
  if (provider === undefined) return null;
  const name = findUsualModel(provider, config.providers[provider]);
  // Loaded when it is needed: it brings the list of all models.
  const { Catalogue } = await import("@signalbox/config/models");
  const { price } = new Catalogue(dataFolder, config.providers).facts(provider, name);
  return {
    provider: isProviderName(provider) ? providers[provider].label : provider,
    name: name === "" ? null : name,
    input_usd: name === "" ? null : (price?.input ?? null),
    output_usd: name === "" ? null : (price?.output ?? null),
  };
}
