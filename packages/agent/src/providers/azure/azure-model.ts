// Opens OpenAI's models that are deployed at Azure: the same API at an address of the account, with another header for the key.
import type { Model } from "../model.ts";
import { openAIModel } from "../openai/openai-model.ts";
import { ProviderError } from "../provider-error.ts";
import { type Fetch, providerFetch } from "../provider-fetch.ts";
import type { ProviderSettings } from "../provider-settings.ts";

/** Takes both forms of the address: `…/openai/v1`, and `…/openai/deployments/NAME?api-version=DATE`, which has chat completions alone. */
export function azureModel(settings: ProviderSettings): Model {
  const { provider, model, baseUrl, apiKey, api } = settings;
  if (baseUrl === undefined) {
    throw new ProviderError(
      "misconfigured",
      `${provider} needs the address of your resource: set AZURE_OPENAI_ENDPOINT, or providers.${provider}.base_url in config.json to https://NAME.openai.azure.com/openai/v1.`,
    );
  }
  const url = new URL(baseUrl);
  const { searchParams } = url;
  const deployment = /\/deployments\/([^/]+)/.exec(url.pathname)?.[1];
  const name = model || (deployment === undefined ? "" : decodeURIComponent(deployment));
  if (name === "") {
    throw new ProviderError(
      "misconfigured",
      `${provider} needs the name of your deployment: use --model, or set providers.${provider}.model in config.json.`,
    );
  }
  return openAIModel({
    ...settings,
    model: name,
    baseUrl: `${url.origin}${url.pathname}`,
    api: deployment === undefined ? api : "chat",
    fetch: azureFetch(providerFetch(provider, settings.stallMs), apiKey, searchParams),
  });
}

/** A key goes into `api-key`; a token of Entra ID, which is a JWT, stays the bearer. Every request gets what stands after `?` in the address. */
function azureFetch(send: Fetch, apiKey: string | undefined, added: URLSearchParams): Fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof URL || typeof input === "string" ? input : input.url);
    for (const [name, value] of added) url.searchParams.set(name, value);
    const headers = new Headers(init.headers);
    if (apiKey === undefined || !apiKey.startsWith("eyJ")) headers.delete("authorization");
    if (apiKey !== undefined && !apiKey.startsWith("eyJ")) headers.set("api-key", apiKey);
    return await send(url, { ...init, headers: Object.fromEntries(headers) });
  };
}
