// Opens models at Google Cloud's Vertex AI: Gemini, and Claude by Anthropic's own format. Every request carries an access token of Google.
import { AnthropicLanguageModel } from "@ai-sdk/anthropic/internal";
import { GoogleLanguageModel } from "@ai-sdk/google/internal";
import { claudeModel } from "../anthropic/anthropic-model.ts";
import { googleModel } from "../gemini/gemini-model.ts";
import type { Model } from "../model.ts";
import { ProviderError } from "../provider-error.ts";
import { type Fetch, providerFetch } from "../provider-fetch.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { GoogleToken } from "./google-token.ts";

/** Also the region where nothing names one. */
const everywhere = "global";

export async function vertexModel(settings: ProviderSettings): Promise<Model> {
  const { provider, model, apiKey, headers, stallMs, env } = settings;
  if (model === "") {
    throw new ProviderError(
      "misconfigured",
      `${provider} needs the name of a model: use --model, or set providers.${provider}.model in config.json, such as gemini-2.5-pro or claude-sonnet-4-5@20250929.`,
    );
  }
  const send = providerFetch(provider, stallMs);
  const token = await GoogleToken.open(provider, apiKey, env, send);
  const isClaude = model.startsWith("claude");
  const baseUrl = settings.baseUrl?.replace(/\/+$/, "") ?? address(provider, isClaude, token.project, env);
  const connection = { headers: { ...headers }, fetch: withToken(send, token) };
  if (isClaude) {
    const languageModel = new AnthropicLanguageModel(model, {
      ...connection,
      provider: "anthropic.messages",
      baseURL: `${baseUrl}/publishers/anthropic/models`,
      buildRequestUrl: (base) => `${base}/${model}:streamRawPredict`,
      // The address names the model.
      transformRequestBody: (body) => ({ ...body, model: undefined, anthropic_version: "vertex-2023-10-16" }),
      supportsStrictTools: false,
    });
    return claudeModel({ ...settings, baseUrl }, languageModel);
  }
  const languageModel = new GoogleLanguageModel(model, {
    ...connection,
    provider: "google.vertex.chat",
    baseURL: `${baseUrl}/publishers/google`,
    generateId: () => crypto.randomUUID(),
  });
  return googleModel({ ...settings, baseUrl }, languageModel, "googleVertex");
}

function address(provider: string, isClaude: boolean, project: string | undefined, env: NodeJS.ProcessEnv): string {
  if (project === undefined) {
    throw new ProviderError(
      "misconfigured",
      `${provider} needs your project at Google Cloud: set GOOGLE_CLOUD_PROJECT.`,
    );
  }
  const region = env.GOOGLE_CLOUD_LOCATION || everywhere;
  if (!/^[a-z0-9-]+$/.test(region)) {
    throw new ProviderError(
      "misconfigured",
      `GOOGLE_CLOUD_LOCATION is "${region}", which is no region. Set one such as us-east5, or global.`,
    );
  }
  const version = isClaude ? "v1" : "v1beta1";
  return `https://${chooseHost(region)}/${version}/projects/${encodeURIComponent(project)}/locations/${region}`;
}

function chooseHost(region: string): string {
  if (region === everywhere) return "aiplatform.googleapis.com";
  // The two that span a continent.
  return region === "us" || region === "eu"
    ? `aiplatform.${region}.rep.googleapis.com`
    : `${region}-aiplatform.googleapis.com`;
}

function withToken(send: Fetch, token: GoogleToken): Fetch {
  return async (input, init = {}) => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(await token.headers())) headers.set(name, value);
    return await send(input, { ...init, headers: Object.fromEntries(headers) });
  };
}
