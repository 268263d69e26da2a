// Opens Claude models through the Messages API. What stays the same between requests is marked, so that Anthropic reads it from its cache.
import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { contextWindowOf } from "../known-models.ts";
import type { Model } from "../model.ts";
import { isOwnHost } from "../own-host.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { sdkConnection } from "../sdk-connection.ts";
import { sdkModel } from "../sdk-model.ts";

const cached = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

export function anthropicModel(settings: ProviderSettings): Model {
  const { model } = settings;
  const anthropic = createAnthropic(sdkConnection(settings));
  return sdkModel({
    ...settings,
    languageModel: anthropic(model),
    contextWindow: settings.contextWindow ?? contextWindowOf(model),
    imagesInToolResults: true,
    adjust: (options) => withCacheMarks(isOwnHost("anthropic", settings.baseUrl) ? options : withoutExtras(options)),
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

/** Four marks are allowed: the tools, the system prompt, the newest message, and the newest of the request before. */
function withCacheMarks(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { prompt, tools } = options;
  const spoken = prompt.flatMap((message, index) =>
    message.role === "user" || message.role === "tool" ? [index] : [],
  );
  const marked = new Set([...spoken.slice(-2), prompt.findIndex((message) => message.role === "system")]);
  return {
    ...options,
    prompt: prompt.map((message, index) => (marked.has(index) ? withMark(message) : message)),
    ...(tools !== undefined && {
      tools: tools.map((tool, index) =>
        tool.type === "function" && index === tools.length - 1 ? { ...tool, providerOptions: cached } : tool,
      ),
    }),
  };
}

function withMark(message: LanguageModelV4Message): LanguageModelV4Message {
  return { ...message, providerOptions: { ...message.providerOptions, ...cached } };
}
