// Opens models at any endpoint that speaks OpenAI's chat completions.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Model } from "../model.ts";
import { ProviderError } from "../provider-error.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { createFetch } from "../sdk-connection.ts";
import { sdkModel } from "../sdk-model.ts";
import { isVendorHost } from "../vendor-host.ts";
import { servedModels } from "./served-models.ts";

/** A model of the user's own server. What was not named, the server is asked: which models it has, and how much fits into one request. */
export async function openCompatible(settings: ProviderSettings): Promise<Model> {
  const { provider, model, baseUrl } = settings;
  const contextWindow = settings.contextWindow ?? settings.facts(model).contextWindow;
  if (baseUrl === undefined || (model !== "" && contextWindow !== undefined)) return compatibleModel(settings);
  const served = await servedModels(settings).catch((error: unknown) => {
    // A model that was named may be there all the same.
    if (model === "") throw error;
    return [];
  });
  const found = model === "" ? served[0] : served.find(({ id }) => id === model);
  const name = model || found?.id;
  if (name === undefined) {
    throw new ProviderError(
      "misconfigured",
      `${provider} serves no model. Load one into it, or name one with --model.`,
    );
  }
  return compatibleModel({ ...settings, model: name, contextWindow: contextWindow ?? found?.contextWindow });
}

export function compatibleModel(settings: ProviderSettings): Model {
  const { provider, model, baseUrl, apiKey, headers } = settings;
  if (baseUrl === undefined) {
    throw new ProviderError(
      "misconfigured",
      `${provider} is none of our providers, so it needs a base_url: set providers.${provider}.base_url in config.json, or use --base-url.`,
    );
  }
  const languageModel = createOpenAICompatible({
    name: provider,
    baseURL: baseUrl,
    ...(apiKey !== undefined && { apiKey }),
    headers: { ...headers },
    includeUsage: true,
    fetch: createFetch(settings),
    transformRequestBody: (body) => (isReasoningModel(model) ? withCompletionTokens(body) : body),
  }).chatModel(model);
  return sdkModel({
    ...settings,
    languageModel,
    imagesInToolResults: false,
    takesPdfs: provider === "openai" && isVendorHost("openai", baseUrl),
  });
}

/** OpenAI's models that think refuse `max_tokens`, also behind a gateway. */
function isReasoningModel(model: string): boolean {
  return /(^|\/)(o\d|gpt-[5-9])/i.test(model);
}

function withCompletionTokens({ max_tokens, ...body }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}
