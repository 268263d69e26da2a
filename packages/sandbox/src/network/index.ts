// @signalbox/sandbox/network: the proxy of a network by name. Apart from the rest, because most processes never need it.
export { AllowList, allowEntryProblem } from "./allow-list.ts";
export { SessionAuthority } from "./certificates.ts";
export { doorTo } from "./door-places.ts";
export type { HostCredential } from "./key-adding.ts";
export { type DoorConnection, type DoorRequest, type DoorVerdict, NetworkDoor } from "./network-door.ts";
export { type TrustFiles, writeTrustFiles } from "./trust-files.ts";
