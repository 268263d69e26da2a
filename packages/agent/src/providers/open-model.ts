// Opens the model that the settings describe. Each provider is loaded only when it is used.
import { isProviderName } from "@signalbox/config/providers";
import { explainError } from "./explain-error.ts";
import type { Model } from "./model.ts";
import { ProviderError } from "./provider-error.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import { retrying } from "./retrying-model.ts";
import { withoutUnseen } from "./unseen-parts.ts";

/** The model retries by itself where that can help. Throws a ProviderError when something is missing. */
export async function openModel(settings: ProviderSettings, firstPauseMs?: number): Promise<Model> {
  const { provider, keyVariable, keyRequired, apiKey } = settings;
  if (keyRequired && apiKey === undefined) {
    throw new ProviderError("misconfigured", `${provider} needs a key: set ${keyVariable} in the environment.`);
  }
  assertSendable(settings);
  try {
    return retrying(withoutUnseen(await load(settings)), firstPauseMs);
  } catch (error) {
    throw explainError(error, settings);
  }
}

/** Node's Headers refuse these characters. Their error would quote the value, which is a secret. */
const refused = /[\0\r\n]/;

function assertSendable({ provider, apiKey = "", headers }: ProviderSettings): void {
  if (refused.test(apiKey.trim())) {
    throw new ProviderError("misconfigured", `The key of ${provider} contains a line break. Copy it again.`);
  }
  const [name] = Object.entries(headers).find(([, value]) => refused.test(value.trim())) ?? [];
  if (name !== undefined) {
    const message = `The header ${name} of ${provider} contains a line break. Correct it in config.json.`;
    throw new ProviderError("misconfigured", message);
  }
}

async function load(settings: ProviderSettings): Promise<Model> {
  const { provider } = settings;
  if (!isProviderName(provider)) return (await import("./compatible/compatible-model.ts")).openCompatible(settings);
  switch (provider) {
    case "openai":
      return (await import("./openai/openai-model.ts")).openAIModel(settings);
    case "anthropic":
      return (await import("./anthropic/anthropic-model.ts")).anthropicModel(settings);
    case "gemini":
      return (await import("./gemini/gemini-model.ts")).geminiModel(settings);
    case "openrouter":
      return (await import("./openrouter/openrouter-model.ts")).openRouterModel(settings);
    case "ollama":
      return (await import("./ollama/ollama-model.ts")).ollamaModel(settings);
    case "azure":
      return (await import("./azure/azure-model.ts")).azureModel(settings);
    case "bedrock":
      return await (await import("./bedrock/bedrock-model.ts")).bedrockModel(settings);
    case "vertex":
      return await (await import("./vertex/vertex-model.ts")).vertexModel(settings);
    case "demo":
      return (await import("./demo/demo-model.ts")).demoModel(settings);
  }
}
