// Opens Claude models through the Messages API. What stays the same between requests is marked, so that Anthropic reads it from its cache.
import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Model } from "../model.ts";
import type { Fetch } from "../provider-fetch.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { sdkConnection } from "../sdk-connection.ts";
import { sdkModel } from "../sdk-model.ts";
import { isVendorHost } from "../vendor-host.ts";
import { withCacheMarks } from "./cache-marks.ts";

const cached = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

export function anthropicModel(settings: ProviderSettings): Model {
  const connection = sdkConnection(settings);
  const create = createAnthropic({ ...connection, fetch: withoutUnusedBeta(connection.fetch) });
  return claudeModel(settings, create(settings.model));
}

/** The package asks for it with every request that has tools. We do not use it, and Bedrock behind a gateway answers "invalid beta flag". */
const unusedBeta = "structured-outputs-2025-11-13";

function withoutUnusedBeta(fetch: Fetch): Fetch {
  return async (input, init) => {
    const { "anthropic-beta": asked = "", ...headers } = Object.fromEntries(new Headers(init?.headers));
    const betas = asked.split(",").filter((beta) => !["", unusedBeta].includes(beta.trim()));
    const kept = betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") };
    return await fetch(input, { ...init, headers: { ...headers, ...kept } });
  };
}

/** A Claude model, at Anthropic or elsewhere. */
export function claudeModel(settings: ProviderSettings, languageModel: LanguageModelV4): Model {
  const isVendorServer = settings.provider === "anthropic" && isVendorHost("anthropic", settings.baseUrl);
  return sdkModel({
    ...settings,
    languageModel,
    imagesInToolResults: true,
    takesPdfs: isVendorServer || settings.provider === "vertex",
    adjust: (options) => withToolsMarked(withCacheMarks(isVendorServer ? options : withoutExtras(options), cached)),
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
