// Tells the vendor's own server from a gateway or a proxy at another address, which may know only a part of the API.
import { type ProviderName, providers } from "@signalbox/config/providers";

export function isVendorHost(provider: ProviderName, baseUrl: string | undefined): boolean {
  const { defaultUrl } = providers[provider];
  if (baseUrl === undefined || defaultUrl === undefined) return baseUrl === undefined;
  return new URL(baseUrl).hostname === new URL(defaultUrl).hostname;
}
