// Opens Gemini models through generateContent.
import { createGoogle } from "@ai-sdk/google";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Model, ModelRequest } from "../model.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { sdkConnection } from "../sdk-connection.ts";
import { sdkModel } from "../sdk-model.ts";
import { isVendorHost } from "../vendor-host.ts";

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
    takesPdfs: settings.provider === "vertex" || isVendorHost("gemini", settings.baseUrl),
    adjust: (options, request) => {
      if (request.thinking === "off") return options;
      const thinkingConfig = { includeThoughts: true, ...thoughtBudget(model, request) };
      return { ...options, providerOptions: { [optionsName]: { thinkingConfig } } };
    },
  });
}

/** Of Gemini 2.5. */
const usualOutputLimit = 65_536;
const minThoughts = 512;
const thoughtShares: Readonly<Record<string, number>> = { minimal: 0.02, low: 0.1, medium: 0.3 };
const maxThoughtShare = 0.6;

/**
 * Thoughts are part of the output. Gemini 2.5 gets a number for them, which the package computes from the model's own limit: under a lower limit
 * nothing would be left for the answer.
 */
function thoughtBudget(
  model: string,
  { thinking, maxOutputTokens }: Pick<ModelRequest, "thinking" | "maxOutputTokens">,
): { readonly thinkingBudget?: number } {
  if (!/(^|\/)gemini-2\.5/i.test(model) || maxOutputTokens >= usualOutputLimit) return {};
  const share = thoughtShares[thinking] ?? maxThoughtShare;
  return { thinkingBudget: Math.max(minThoughts, Math.round(maxOutputTokens * share)) };
}

/** Before Gemini 3 an image replaced the result it stood in, and a call without its result fails the request. */
function takesImagesInResults(model: string): boolean {
  return !/(^|\/)(gemini-[12]\b|gemma)/i.test(model);
}
