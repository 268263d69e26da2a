// The addresses of a name that was checked, and a connection that goes to exactly these: the name may mean another one a moment later.
import type { LookupFunction } from "node:net";

export interface Address {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (hostname: string) => Promise<readonly Address[]>;

/** Without the brackets of an IPv6 address. */
export function readHostname(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** For the `lookup` of a request. */
export function pinAddresses(addresses: readonly Address[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (first === undefined) callback(new Error("The name has no address"), "");
    else if (all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
