// Which addresses are not of the public internet: this machine, the local network, the cloud's metadata service, reserved ranges.
import { BlockList, isIP } from "node:net";

const ranges4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Ranges that carry an IPv4 address inside (mapped, NAT64, 6to4, Teredo) are closed whole: they are a way around the list above. */
const ranges6: readonly (readonly [string, number])[] = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

const closed4 = new BlockList();
for (const [network, prefix] of ranges4) closed4.addSubnet(network, prefix, "ipv4");
const closed6 = new BlockList();
for (const [network, prefix] of ranges6) closed6.addSubnet(network, prefix, "ipv6");

/** True for what is no public address, and for what is no address at all. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, "");
  switch (isIP(bare)) {
    case 4:
      return closed4.check(bare, "ipv4");
    case 6:
      return closed6.check(bare, "ipv6");
    default:
      return true;
  }
}
