// Asks a server of the user's own which models it has. Each kind of server is loaded only when it is asked.
import type { ProviderSettings } from "./provider-settings.ts";

/** Their names. Throws a ProviderError when the server cannot be asked. */
export async function discoverModels(settings: ProviderSettings): Promise<readonly string[]> {
  if (settings.provider === "ollama") {
    return await (await import("./ollama/ollama-model.ts")).installedModels(settings);
  }
  const served = await (await import("./compatible/served-models.ts")).servedModels(settings);
  return served.map(({ id }) => id);
}
