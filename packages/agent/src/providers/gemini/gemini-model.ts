// Opens Gemini models through generateContent.
import { createGoogle } from "@ai-sdk/google";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Model } from "../model.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { sdkConnection } from "../sdk-connection.ts";
import { sdkModel } from "../sdk-model.ts";

export function geminiModel(settings: ProviderSettings): Model {
  return googleModel(settings, createGoogle(sdkConnection(settings))(settings.model), "google");
}

/** A Gemini model, in the Gemini API or elsewhere. `optionsName` is what the package calls its own options there. */
export function googleModel(
  settings: ProviderSettings,
  languageModel: LanguageModelV4,
  optionsName: "google" | "googleVertex",
): Model {
  const { model } = settings;
  return sdkModel({
    ...settings,
    languageModel,
    imagesInToolResults: takesImagesInResults(model),
    adjust: (options, { thinking }) =>
      thinking === "off"
        ? options
        : { ...options, providerOptions: { [optionsName]: { thinkingConfig: { includeThoughts: true } } } },
  });
}

/** Before Gemini 3 an image replaced the result it stood in, and a call without its result fails the request. */
function takesImagesInResults(model: string): boolean {
  return !/(^|\/)(gemini-[12]\b|gemma)/i.test(model);
}
