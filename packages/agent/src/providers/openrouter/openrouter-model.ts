// Opens models behind OpenRouter, which tells the cost of each answer.
import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import type { Model } from "../model.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { sdkConnection } from "../sdk-connection.ts";
import { sdkModel } from "../sdk-model.ts";

export function openRouterModel(settings: ProviderSettings): Model {
  const { model } = settings;
  const openrouter = createOpenRouter({
    ...sdkConnection(settings),
    appName: "Signalbox",
    compatibility: "strict",
  });
  return sdkModel({
    ...settings,
    languageModel: openrouter.chat(model, { usage: { include: true }, parallelToolCalls: true }),
    imagesInToolResults: false,
    takesPdfs: true,
    endNeedsReason: true,
    // The package has no common setting for it.
    adjust: (options, { thinking }) =>
      thinking === "off"
        ? options
        : { ...options, providerOptions: { openrouter: { reasoning: { effort: thinking } } } },
  });
}
