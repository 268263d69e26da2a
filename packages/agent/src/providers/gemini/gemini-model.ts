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
    imagesInToolResults: takesImagesInResults(model),
    adjust: (options, { thinking }) =>
      thinking === "off"
        ? options
        : { ...options, providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } },
  });
}

/** Before Gemini 3 an image replaced the result it stood in, and a call without its result fails the request. */
function takesImagesInResults(model: string): boolean {
  return !/(^|\/)(gemini-[12]\b|gemma)/i.test(model);
}
