// Opens models at Amazon Bedrock through its Converse API, with a Bedrock key or with the credentials of AWS, which sign every request.
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { getModelCapabilities } from "@ai-sdk/anthropic/internal";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { withCacheMarks } from "../anthropic/cache-marks.ts";
import type { Model, ModelRequest } from "../model.ts";
import { ProviderError } from "../provider-error.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { createFetch } from "../sdk-connection.ts";
import { sdkModel } from "../sdk-model.ts";
import { AwsCredentials } from "./aws-credentials.ts";
import { openProfile } from "./aws-profile.ts";

const cached = { amazonBedrock: { cachePoint: { type: "default" } } } as const;

export async function bedrockModel(settings: ProviderSettings): Promise<Model> {
  const { provider, model, baseUrl, apiKey, headers, env } = settings;
  if (model === "") {
    throw new ProviderError(
      "misconfigured",
      `${provider} needs the id of a model: use --model, or set providers.${provider}.model in config.json, such as us.anthropic.claude-sonnet-4-5-20250929-v1:0.`,
    );
  }
  const profile = await openProfile(env);
  const region = readRegion(baseUrl) ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? profile.values.region;
  if (region === undefined && (baseUrl === undefined || apiKey === undefined)) {
    throw new ProviderError("misconfigured", `${provider} needs a region: set AWS_REGION, such as us-east-1.`);
  }
  const credentials = new AwsCredentials(provider, profile, env);
  const bedrock = createAmazonBedrock({
    ...(region !== undefined && { region }),
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    headers: { ...headers },
    fetch: createFetch(settings),
    // An empty key is none: the package would look into the environment for one.
    apiKey: apiKey ?? "",
    credentialProvider: () => Promise.resolve(credentials.current),
  });
  const opened = sdkModel({
    ...settings,
    languageModel: bedrock(model),
    imagesInToolResults: hasCache(model),
    takesPdfs: hasCache(model),
    namesFiles: false,
    endNeedsReason: true,
    adjust: (options, request) => {
      const bounded = withThoughtsInside(options, request, model);
      return hasCache(model) ? withCacheMarks(bounded, cached) : bounded;
    },
  });
  if (apiKey !== undefined) return opened;
  return {
    ...opened,
    stream: async function* (request, signal) {
      await credentials.refresh();
      yield* opened.stream(request, signal);
    },
  };
}

/** Claude and Nova; the other models refuse a cache point, and images and PDFs in a result. */
function hasCache(model: string): boolean {
  return /(^|[./])(anthropic|amazon\.nova)/.test(model);
}

/** The part of an answer that thoughts may take. */
const shares: Readonly<Record<string, number>> = { low: 0.1, medium: 0.3, high: 0.6 };
const minBudget = 1024;

/** Older Claude models think within a number of tokens, which the package adds to the longest answer. The sum would be more than they can. */
function withThoughtsInside(
  options: LanguageModelV4CallOptions,
  { thinking, maxOutputTokens }: ModelRequest,
  model: string,
): LanguageModelV4CallOptions {
  const hasBudget = /(^|[./])anthropic\./.test(model) && !getModelCapabilities(model).supportsAdaptiveThinking;
  if (thinking === "off" || !hasBudget) return options;
  const budgetTokens = Math.max(minBudget, Math.floor(maxOutputTokens * (shares[thinking] ?? 0.6)));
  return {
    ...options,
    maxOutputTokens: Math.max(1, maxOutputTokens - budgetTokens),
    providerOptions: { amazonBedrock: { reasoningConfig: { type: "enabled", budgetTokens } } },
  };
}

/** `https://bedrock-runtime.us-east-1.amazonaws.com` names its region. */
function readRegion(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /^https:\/\/bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(url)?.[1];
}
