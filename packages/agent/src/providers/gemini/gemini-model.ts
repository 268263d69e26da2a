// Gemini through generateContent.
import { createGoogle } from "@ai-sdk/google";
import { contextWindowOf } from "../known-models.ts";
import type { Model } from "../model.ts";
import { providerFetch } from "../provider-fetch.ts";
import { noKey, type ProviderSettings } from "../provider-settings.ts";
import { sdkModel } from "../sdk-model.ts";

export function geminiModel(settings: ProviderSettings): Model {
  const { provider, model, baseUrl, apiKey, headers, stallMs } = settings;
  const google = createGoogle({
    ...(baseUrl !== null && { baseURL: baseUrl }),
    apiKey: apiKey ?? noKey,
    headers: { ...headers },
    fetch: providerFetch(provider, stallMs),
  });
  return sdkModel({
    ...settings,
    languageModel: google(model),
    contextWindow: settings.contextWindow ?? contextWindowOf(model),
    imagesInToolResults: true,
    adjust: (options, { thinking }) =>
      thinking === "off"
        ? options
        : { ...options, providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } },
  });
}
