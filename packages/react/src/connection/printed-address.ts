// Reads the address that Signalbox prints when it starts: where the host listens, and the token.
import type { HostAddress } from "./connection.ts";

/** Throws when it is no such address. */
export function printedAddress(printed: string): Required<HostAddress> {
  const url = URL.parse(printed);
  const token = new URLSearchParams(url?.hash.slice(1)).get("token");
  if (url === null || token === null)
    throw new Error("This is no address of Signalbox. It prints one when it starts: http://127.0.0.1:4280/#token=…");
  return { address: url.origin, token };
}
