// The list of hosts that a network by name lets through: names, names with a star, addresses, subnets; each with a port or for 80 and 443.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

interface NameEntry {
  readonly type: "name";
  readonly text: string;
  readonly name: string;
  /** `*.example.com`: every name below it, not the name itself. */
  readonly isSuffix: boolean;
  readonly port: number | undefined;
}

interface AddressEntry {
  readonly type: "address";
  readonly text: string;
  readonly subnet: readonly [ipaddr.IPv4 | ipaddr.IPv6, number];
  readonly port: number | undefined;
}

type Entry = NameEntry | AddressEntry;

const usualPorts: readonly number[] = [80, 443];

/** Describes the problem of an entry for the person who wrote it; undefined if there is none. */
export function allowEntryProblem(text: string): string | undefined {
  return readEntry(text) === undefined
    ? "expected a host such as example.com, *.example.com, example.com:8443, 127.0.0.1:11434 or 10.0.0.0/8"
    : undefined;
}

/** Lower case, without the dot at the end; undefined for what is no host name and no address. */
export function hostName(text: string): string | undefined {
  const host = text
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (isIP(host) !== 0) return host;
  return /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(
    host,
  )
    ? host
    : undefined;
}

function readEntry(text: string): Entry | undefined {
  const [, bracketed, plain, portText] =
    /^(?:\[([^\]]+)\]|([^\s:]+|[0-9a-f:]+(?:\/\d+)?))(?::(\d+))?$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = portText === undefined ? undefined : Number(portText);
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) return undefined;
  const subnet = readSubnet(host);
  if (subnet !== undefined) return { type: "address", text, subnet, port };
  const isSuffix = host.startsWith("*.");
  const name = hostName(isSuffix ? host.slice(2) : host);
  // A star for a whole top level would be a list that says nothing.
  if (name === undefined || isIP(name) !== 0 || /^[\d.]+$/.test(name)) return undefined;
  if (isSuffix && !name.includes(".")) return undefined;
  return { type: "name", text, name, isSuffix, port };
}

function readSubnet(host: string): AddressEntry["subnet"] | undefined {
  try {
    if (host.includes("/")) return ipaddr.parseCIDR(host);
    if (isIP(host) === 0) return undefined;
    const address = ipaddr.parse(host);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    return undefined;
  }
}

export class AllowList {
  readonly #entries: readonly Entry[];

  /** Entries that cannot be read let nothing through. */
  constructor(entries: readonly string[]) {
    this.#entries = entries.map(readEntry).filter((entry) => entry !== undefined);
  }

  /** The entry that lets this host through, which is a name or an address. */
  find(host: string, port: number): string | undefined {
    if (isIP(host) !== 0) return this.findAddress(host, port);
    return this.#entries.find(
      (entry) =>
        entry.type === "name" &&
        isPort(entry, port) &&
        (entry.isSuffix ? host.endsWith(`.${entry.name}`) : host === entry.name),
    )?.text;
  }

  /** The same for the address that a name leads to. */
  findAddress(address: string, port: number): string | undefined {
    const parsed = isIP(address) === 0 ? undefined : ipaddr.parse(address);
    return this.#entries.find(
      (entry) => entry.type === "address" && isPort(entry, port) && isInSubnet(parsed, entry.subnet),
    )?.text;
  }

  /** Hosts with their ports that can have a place of their own inside: exact names, and ports of this machine's loopback. */
  exact(): readonly { readonly host: string; readonly port: number }[] {
    return this.#entries.flatMap((entry) => {
      if (entry.type === "name") {
        if (entry.isSuffix) return [];
        return (entry.port === undefined ? usualPorts : [entry.port]).map((port) => ({ host: entry.name, port }));
      }
      const address = entry.subnet[0].toString();
      return entry.port !== undefined && address === "127.0.0.1" && entry.subnet[1] === 32
        ? [{ host: address, port: entry.port }]
        : [];
    });
  }
}

function isInSubnet(address: ipaddr.IPv4 | ipaddr.IPv6 | undefined, [base, bits]: AddressEntry["subnet"]): boolean {
  if (address instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && address.match(base, bits);
  return address !== undefined && base instanceof ipaddr.IPv6 && address.match(base, bits);
}

function isPort(entry: Entry, port: number): boolean {
  return entry.port === undefined ? usualPorts.includes(port) : entry.port === port;
}
