// Makes the connection settings that all packages of the AI SDK take.
import { type Fetch, providerFetch } from "./provider-fetch.ts";
import type { ProviderSettings } from "./provider-settings.ts";

interface SdkConnection {
  readonly baseURL?: string;
  readonly apiKey: string;
  readonly headers: Record<string, string>;
  readonly fetch: Fetch;
}

/** The packages need a key, also for a server that needs none. */
const noKey = "none";

export function sdkConnection(settings: ProviderSettings): SdkConnection {
  const { baseUrl, apiKey, headers } = settings;
  return {
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    apiKey: apiKey ?? noKey,
    headers: { ...headers },
    fetch: createFetch(settings),
  };
}

export function createFetch({ provider, stallMs, fetch }: ProviderSettings): Fetch {
  return fetch ?? providerFetch(provider, stallMs);
}
