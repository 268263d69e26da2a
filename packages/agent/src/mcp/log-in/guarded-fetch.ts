// Fetches for a log-in, where a server names the addresses. A server on the public internet leads to public addresses only; one at a private
// address is the user's own, and may lead to others of them.
import { lookup as systemLookup } from "node:dns/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import type { FetchLike } from "@modelcontextprotocol/client";
import { isPrivateAddress } from "@signalbox/sandbox/private-address";
import { type Address, pinAddresses, type Resolve, readHostname } from "../../tools/fetch/checked-address.ts";

const timeoutMs = 30_000;
/** Metadata and tokens have a few kilobytes. */
const maxBytes = 1_000_000;

export class LogInAddresses {
  readonly #server: URL;
  readonly #resolve: Resolve;
  #refusal: string | undefined;
  #isPrivateAllowed: Promise<boolean> | undefined;

  constructor(server: URL, resolve: Resolve = (hostname) => systemLookup(hostname, { all: true })) {
    this.#server = server;
    this.#resolve = resolve;
  }

  /** Why an address was not used; the SDK goes on with another one and loses it. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Throws where neither we nor the person's browser should go there. Gives the addresses of its name. */
  async check(url: URL): Promise<readonly Address[]> {
    const addresses = await this.#resolveAddresses(url);
    const isLocal = addresses.every(({ address }) => isLoopback(address));
    if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal))
      return this.#refuse(url, "a log-in needs https");
    this.#isPrivateAllowed ??= this.#resolveAddresses(this.#server).then((own) => own.every(isPrivate));
    if (addresses.some(isPrivate) && !(await this.#isPrivateAllowed))
      return this.#refuse(url, "it is not on the public internet, and the server is");
    return addresses;
  }

  /** Follows no redirect. */
  readonly fetch: FetchLike = async (address, init = {}) => {
    const url = new URL(address);
    const addresses = await this.check(url);
    const signals = [AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])];
    const response = await send(url, init, addresses, AbortSignal.any(signals));
    const { statusCode = 500, headers } = response;
    const body = await readBody(response, url);
    const pairs = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    );
    return new Response(body, { status: statusCode, headers: Object.fromEntries(pairs) });
  };

  #refuse(url: URL, why: string): never {
    this.#refusal = `The log-in leads to ${url.host}, which is not used: ${why}.`;
    throw new Error(this.#refusal);
  }

  async #resolveAddresses(url: URL): Promise<readonly Address[]> {
    const hostname = readHostname(url);
    const family = isIP(hostname);
    return family === 0 ? await this.#resolve(hostname) : [{ address: hostname, family }];
  }
}

function isPrivate({ address }: Address): boolean {
  return isPrivateAddress(address);
}

function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

/** To the addresses that were checked: a name may mean another one a moment later. */
function send(
  url: URL,
  { method = "GET", headers, body }: RequestInit,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    method,
    lookup: pinAddresses(addresses),
    signal,
    agent: false,
    headers: Object.fromEntries(new Headers(headers)),
  });
  request.on("response", resolve);
  request.on("error", reject);
  // The SDK sends forms and JSON.
  if (body instanceof URLSearchParams) request.end(body.toString());
  else request.end(typeof body === "string" ? body : undefined);
  return promise;
}

async function readBody(response: IncomingMessage, url: URL): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`${url.host} sent more than ${maxBytes / 1_000_000} MB for a log-in.`);
    chunks.push(chunk);
  }
  return size === 0 ? null : Buffer.concat(chunks).toString("utf8");
}
