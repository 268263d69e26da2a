// What every package of the AI SDK is given to reach its provider.
import { type Fetch, providerFetch } from "./provider-fetch.ts";
import type { ProviderSettings } from "./provider-settings.ts";

interface SdkConnection {
  readonly baseURL?: string;
  readonly apiKey: string;
  readonly headers: Record<string, string>;
  readonly fetch: Fetch;
}

/** The packages want a key, also for a server that wants none. */
const noKey = "none";

export function sdkConnection({ provider, baseUrl, apiKey, headers, stallMs }: ProviderSettings): SdkConnection {
  return {
    ...(baseUrl !== null && { baseURL: baseUrl }),
    apiKey: apiKey ?? noKey,
    headers: { ...headers },
    fetch: providerFetch(provider, stallMs),
  };
}
