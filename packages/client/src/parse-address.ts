// Reads the address that Signalbox prints when it starts: where the host listens, and the token.
import type { HostAddress } from "./host-connection.ts";

/** Throws when the text is not such an address. */
export function parseAddress(printed: string): HostAddress {
  const url = URL.parse(printed);
  const token = new URLSearchParams(url?.hash.slice(1)).get("token");
  if (url === null || token === null)
    throw new Error(
      "This is not an address of Signalbox. It prints one when it starts: http://127.0.0.1:4280/#token=…",
    );
  return { address: url.origin, token };
}
