// Opens models at any endpoint that speaks OpenAI's chat completions.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { contextWindowOf } from "../known-models.ts";
import type { Model } from "../model.ts";
import { ProviderError } from "../provider-error.ts";
import { providerFetch } from "../provider-fetch.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { sdkModel } from "../sdk-model.ts";

export function compatibleModel(settings: ProviderSettings): Model {
  const { provider, model, baseUrl, apiKey, headers, stallMs } = settings;
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
    fetch: providerFetch(provider, stallMs),
    transformRequestBody: (body) => (isReasoningModel(model) ? withCompletionTokens(body) : body),
  }).chatModel(model);
  return sdkModel({
    ...settings,
    languageModel,
    contextWindow: settings.contextWindow ?? contextWindowOf(model),
    imagesInToolResults: false,
  });
}

/** OpenAI's models that think refuse `max_tokens`, also behind a gateway. */
function isReasoningModel(model: string): boolean {
  return /(^|\/)(o\d|gpt-[5-9])/i.test(model);
}

function withCompletionTokens({ max_tokens, ...body }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}
