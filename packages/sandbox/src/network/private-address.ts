// Decides which addresses are outside the public internet: this machine, the local network, the cloud's metadata service, reserved ranges.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** `::/96` once carried IPv4 addresses, such as `::7f00:1` for 127.0.0.1. Nothing on the public internet has such an address. */
const ipv4Compatible = ipaddr.IPv6.parseCIDR("::/96");

/**
 * True for an address that is not public, and for a text that is not an address. Ranges that carry an IPv4 address (mapped, compatible, NAT64,
 * 6to4, Teredo) are not public either: they are a way around the other ranges.
 */
export function isPrivateAddress(address: string): boolean {
  const withoutZone = address.replace(/%.*$/, "");
  // The library also reads forms that no resolver returns, such as 8.8 or 0x7f.1.
  if (isIP(withoutZone) === 0) return true;
  const parsed = ipaddr.parse(withoutZone);
  return parsed.range() !== "unicast" || (parsed instanceof ipaddr.IPv6 && parsed.match(ipv4Compatible));
}
