// Opens Gemini models through generateContent.
import { createGoogle } from "@ai-sdk/google";
import { contextWindowOf } from "../known-models.ts";
import type { Model } from "../model.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { sdkConnection } from "../sdk-connection.ts";
import { sdkModel } from "../sdk-model.ts";

export function geminiModel(settings: ProviderSettings): Model {
  const { model } = settings;
  const google = createGoogle(sdkConnection(settings));
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
