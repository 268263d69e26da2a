// Any model behind OpenRouter, which tells what each answer cost.
import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import { contextWindowOf } from "../known-models.ts";
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
    contextWindow: settings.contextWindow ?? contextWindowOf(model),
    imagesInToolResults: false,
    endNeedsReason: true,
    // The package knows no common setting for it.
    adjust: (options, { thinking }) =>
      thinking === "off"
        ? options
        : { ...options, providerOptions: { openrouter: { reasoning: { effort: thinking } } } },
  });
}
