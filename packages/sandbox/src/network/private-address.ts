// Decides which addresses are outside the public internet: this machine, the local network, the cloud's metadata service, reserved ranges.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * True for an address that is not public, and for what is no address. Ranges that carry an IPv4 address inside (mapped, NAT64, 6to4, Teredo)
 * are not public either: they are a way around the other ranges.
 */
export function isPrivateAddress(address: string): boolean {
  const withoutZone = address.replace(/%.*$/, "");
  // The library also reads forms that no resolver returns, such as 8.8 or 0x7f.1.
  return isIP(withoutZone) === 0 || ipaddr.parse(withoutZone).range() !== "unicast";
}
