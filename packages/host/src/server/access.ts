// Decides who may connect: a caller with the token, under a name of this host, from a page of this host.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Caller, owner } from "../data/caller.ts";
import type { DeviceStore } from "../devices/device-store.ts";

export const protocolName = "signalbox.v1";
const tokenPrefix = "signalbox.token.";

export type Refusal = { readonly status: 401 | 403; readonly reason: string };

export class Access {
  readonly #tokenHash: Buffer;
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #extraOrigins: ReadonlySet<string>;
  readonly #devices: KnownDevices;

  /** `hosts` are the names, with port, of this host; `extraOrigins` are pages that are served elsewhere (development, a page of the user's own). */
  constructor(token: string, hosts: readonly string[], extraOrigins: readonly string[], devices: KnownDevices) {
    this.#devices = devices;
    this.#tokenHash = hash(token);
    this.#hosts = new Set(hosts);
    this.#origins = new Set([...hosts.flatMap((host) => [`http://${host}`, `https://${host}`]), ...extraOrigins]);
    this.#extraOrigins = new Set(extraOrigins);
  }

  /** The origin of a page that is served elsewhere and may read the answer; null for all others. */
  findExtraOrigin({ headers: { origin } }: IncomingMessage): string | null {
    return origin !== undefined && this.#extraOrigins.has(origin) ? origin : null;
  }

  /** Refuses requests that a page of another site makes a browser send, also under a host name that the site controls. */
  refuseForeign(request: IncomingMessage): Refusal | null {
    const { host, origin } = request.headers;
    // The user named these addresses, under which devices reach this host.
    const named = this.#devices.addresses;
    if (
      host === undefined ||
      !(this.#hosts.has(host.toLowerCase()) || named.some((address) => new URL(address).host === host.toLowerCase()))
    ) {
      return { status: 403, reason: "This address is not a name of this Signalbox." };
    }
    if (origin !== undefined && !this.#origins.has(origin.toLowerCase()) && !named.includes(origin.toLowerCase())) {
      return { status: 403, reason: "Pages of other sites may not talk to this Signalbox." };
    }
    return null;
  }

  refuseStranger(request: IncomingMessage): Refusal | null {
    return this.identifyCaller(request) !== null
      ? null
      : { status: 401, reason: "The token is missing or wrong. The ready line of Signalbox has the right address." };
  }

  /** Null without a token that is known. */
  identifyCaller(request: IncomingMessage): Caller | null {
    const token = readToken(request);
    if (token === null) return null;
    if (timingSafeEqual(hash(token), this.#tokenHash)) return owner;
    const deviceId = this.#devices.find(token);
    return deviceId === null ? null : { type: "device", deviceId };
  }
}

type KnownDevices = Pick<DeviceStore, "find" | "addresses">;

/** Browsers cannot set headers on a WebSocket, so the token comes in the protocol list there. */
function readToken(request: IncomingMessage): string | null {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (bearer !== undefined) return bearer;
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  return offered.find((name) => name.startsWith(tokenPrefix))?.slice(tokenPrefix.length) ?? null;
}

/** Gives equal lengths for every input, so that the comparison takes constant time. */
function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
