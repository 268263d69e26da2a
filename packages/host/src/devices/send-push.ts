// Sends an encrypted message to a push service. The address came from a device, so it could be any: only https at a public address is connected to,
// by the address that was checked, without redirects, and the answer is not read beyond its status.
import { lookup } from "node:dns";
import { request } from "node:https";
import type { LookupFunction } from "node:net";
import { isPrivateAddress } from "@signalbox/sandbox/private-address";
import { HostError } from "../data/host-error.ts";

const timeoutMs = 10_000;
/** Where a device is off, the service keeps the message so long. */
const keptS = 3600;

/** How to connect; tests use a service on loopback with a certificate of its own. */
export interface PushNetwork {
  readonly isRefused: (address: string) => boolean;
  readonly ca?: string;
}

export const publicNetwork: PushNetwork = { isRefused: isPrivateAddress };

/** Throws a HostError unless it is the address of a service on the internet, as far as can be said without asking for its name. */
export function checkEndpoint(endpoint: string, network: PushNetwork = publicNetwork): URL {
  const url = URL.parse(endpoint);
  const isNamed = url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
  if (!isNamed || endpoint.length > 2000)
    throw new HostError(
      "bad_request",
      "The address for notifications must begin with https:// and have no name or password.",
    );
  const address = url.hostname.replace(/^\[|\]$/g, "");
  const isAddress = /^[\d.]+$|:/.test(address);
  if ((isAddress && network.isRefused(address)) || /(?:^|\.)localhost\.?$/i.test(address))
    throw new HostError("bad_request", "The address for notifications is not on the internet.");
  return url;
}

/** `gone` when the service knows the browser no more. Rejects when it cannot be reached or refuses. */
export async function sendPush(
  url: URL,
  body: Buffer,
  authorization: string,
  network: PushNetwork = publicNetwork,
): Promise<"sent" | "gone"> {
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      // The name is looked up once: what was checked is what is connected to.
      lookup: checkedLookup(network),
      agent: false,
      ...(network.ca === undefined ? {} : { ca: network.ca }),
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        Authorization: authorization,
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "Content-Length": body.length,
        TTL: keptS,
        Urgency: "high",
      },
    });
    sent.on("response", (answer) => {
      answer.destroy();
      resolve(answer.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end(body);
  });
  if (status === 404 || status === 410) return "gone";
  if (status < 200 || status > 299) throw new Error(`The push service ${url.host} answered with ${status}.`);
  return "sent";
}

function checkedLookup(network: PushNetwork): LookupFunction {
  return (hostname, _options, callback) => {
    lookup(hostname, { all: true }, (error, found) => {
      const refused = error === null ? found.find(({ address }) => network.isRefused(address)) : undefined;
      if (refused === undefined) callback(error, found);
      else callback(new Error(`${hostname} is ${refused.address}, which is not on the internet.`), []);
    });
  };
}
