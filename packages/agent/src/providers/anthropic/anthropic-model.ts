// Opens Claude models through the Messages API. What stays the same between requests is marked, so that Anthropic reads it from its cache.
import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Model } from "../model.ts";
import { isOwnHost } from "../own-host.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { sdkConnection } from "../sdk-connection.ts";
import { sdkModel } from "../sdk-model.ts";
import { withCacheMarks } from "./cache-marks.ts";

const cached = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

export function anthropicModel(settings: ProviderSettings): Model {
  return claudeModel(settings, createAnthropic(sdkConnection(settings))(settings.model));
}

/** A Claude model, at Anthropic or elsewhere. */
export function claudeModel(settings: ProviderSettings, languageModel: LanguageModelV4): Model {
  const isOwn = settings.provider === "anthropic" && isOwnHost("anthropic", settings.baseUrl);
  return sdkModel({
    ...settings,
    languageModel,
    imagesInToolResults: true,
    takesPdfs: isOwn || settings.provider === "vertex",
    adjust: (options) => withToolsMarked(withCacheMarks(isOwn ? options : withoutExtras(options), cached)),
  });
}

/** Gateways that speak Anthropic's format refuse fields that are newer than they are. */
function withoutExtras(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  return {
    ...options,
    providerOptions: {
      ...options.providerOptions,
      anthropic: { ...options.providerOptions?.anthropic, toolStreaming: false },
    },
  };
}

/** The fourth mark that is allowed, besides those of the messages. */
function withToolsMarked(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { tools } = options;
  if (tools === undefined) return options;
  return {
    ...options,
    tools: tools.map((tool, index) =>
      tool.type === "function" && index === tools.length - 1 ? { ...tool, providerOptions: cached } : tool,
    ),
  };
}
