// @signalbox/sandbox/network: the proxy of a network by name. Apart from the rest, because most processes never need it.
export { AllowList, allowEntryProblem } from "./allow-list.ts";
export { SessionAuthority } from "./certificates.ts";
export { EgressProxy, type ProxyConnection, type ProxyRequest, type ProxyVerdict } from "./egress-proxy.ts";
export type { HostCredential } from "./key-adding.ts";
export { routeThroughProxy } from "./proxy-places.ts";
export { type TrustFiles, writeTrustFiles } from "./trust-files.ts";
