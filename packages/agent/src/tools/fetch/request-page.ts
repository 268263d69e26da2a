// Sends one HTTP request to an address that was checked. The name is resolved once and the connection goes to exactly that address, so that
// a name that resolves differently the second time gains nothing.
import { lookup as systemLookup } from "node:dns/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ToolFailure } from "@signalbox/agent-kit";
import { networkProblem } from "@signalbox/sandbox/network-problem";
import { type Address, pinAddresses, type Resolve, readHostname } from "./checked-address.ts";

export interface RequestOptions {
  /** `host` or `host:port` that may be at a private address; `*` is any host. */
  readonly privateHosts: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** For the whole answer. */
  readonly timeoutMs: number;
  /** After decompression. */
  readonly maxBytes: number;
  readonly resolve?: Resolve;
}

export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly statusText: string;
  readonly contentType: string;
  /** Where it redirects to. */
  readonly location: string | undefined;
  readonly body: Uint8Array;
  /** True when the body was longer than the limit, or broke off. */
  readonly isTruncated: boolean;
}

export async function requestPage(url: URL, options: RequestOptions): Promise<Page> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    const addresses = await checkedAddresses(url, options);
    return await readAnswer(url, await connect(url, addresses, { ...options, signal }), options.maxBytes);
  } catch (error) {
    options.signal.throwIfAborted();
    if (timeout.aborted)
      throw new ToolFailure(`${url.host} did not answer within ${options.timeoutMs / 1000} seconds.`);
    throw error;
  }
}

async function readAnswer(url: URL, response: IncomingMessage, maxBytes: number): Promise<Page> {
  const { statusCode = 0, statusMessage = "", headers } = response;
  const location = statusCode >= 300 && statusCode < 400 ? headers.location : undefined;
  const head = {
    url,
    status: statusCode,
    statusText: statusMessage,
    contentType: headers["content-type"] ?? "",
    location,
  };
  try {
    return location === undefined
      ? { ...head, ...(await readBody(response, maxBytes)) }
      : { ...head, body: Buffer.alloc(0), isTruncated: false };
  } finally {
    response.destroy();
  }
}

/** Throws a ToolFailure for an address that is never fetched, as far as its text says so: a name is not resolved before it is allowed. */
export async function assertFetchable(url: URL, privateHosts: readonly string[]): Promise<void> {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ToolFailure(`Only http and https can be fetched, not ${url.protocol}//.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolFailure("A URL with a user name or a password in it is not fetched.");
  }
  const hostname = readHostname(url);
  if (isIP(hostname) !== 0) await assertPublic(url, [{ address: hostname, family: isIP(hostname) }], privateHosts);
  else if (/(?:^|\.)localhost\.?$/i.test(hostname))
    await assertPublic(url, [{ address: "127.0.0.1", family: 4 }], privateHosts);
}

async function checkedAddresses(
  url: URL,
  { privateHosts, resolve = resolveName, signal }: RequestOptions,
): Promise<readonly Address[]> {
  await assertFetchable(url, privateHosts);
  const hostname = readHostname(url);
  const family = isIP(hostname);
  const addresses = family === 0 ? await resolve(hostname) : [{ address: hostname, family }];
  signal.throwIfAborted();
  await assertPublic(url, addresses, privateHosts);
  return addresses;
}

async function assertPublic(url: URL, addresses: readonly Address[], privateHosts: readonly string[]): Promise<void> {
  const hostname = readHostname(url);
  const { isPrivateAddress } = await import("@signalbox/sandbox/private-address");
  const isAllowed = privateHosts.some((host) => host === "*" || host === url.hostname || host === url.host);
  const privateOne = isAllowed ? undefined : addresses.find(({ address }) => isPrivateAddress(address));
  if (privateOne !== undefined) {
    const where = privateOne.address === hostname ? hostname : `${hostname} (${privateOne.address})`;
    throw new ToolFailure(
      `${where} is not an address of the public internet. Such addresses are fetched only where the user's settings allow the host.`,
    );
  }
}

async function resolveName(hostname: string): Promise<readonly Address[]> {
  try {
    return await systemLookup(hostname, { all: true });
  } catch (error) {
    throw new ToolFailure(`The name ${hostname} could not be resolved (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function connect(
  url: URL,
  addresses: readonly Address[],
  { headers, signal }: RequestOptions,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    lookup: pinAddresses(addresses),
    signal,
    agent: false,
    headers: {
      "user-agent": "Signalbox (coding agent)",
      accept: "text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5",
      "accept-encoding": "gzip, br, deflate",
      ...headers,
    },
  });
  request.on("response", resolve);
  request.on("error", (error: NodeJS.ErrnoException) => {
    reject(
      signal.aborted ? signal.reason : new ToolFailure(`${url.host} could not be reached: ${networkProblem(error)}`),
    );
  });
  request.end();
  return promise;
}

async function readBody(
  response: IncomingMessage,
  limit: number,
): Promise<{ readonly body: Uint8Array; readonly isTruncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of decompressed(response) as AsyncIterable<Uint8Array>) {
      const room = limit - size;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } catch (error) {
    // The part of a page before the connection broke is useful; an empty one is not.
    if (size === 0) throw new ToolFailure(`The answer broke off: ${(error as Error).message}`);
    return { body: Buffer.concat(chunks), isTruncated: true };
  }
  return { body: Buffer.concat(chunks), isTruncated: size > limit };
}

function decompressed(response: IncomingMessage): Readable {
  const decoder = createDecoder(response.headers["content-encoding"]);
  return decoder === undefined ? response : pipeline(response, decoder, () => {});
}

function createDecoder(encoding: string | undefined) {
  switch (encoding?.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "br":
      return createBrotliDecompress();
    case "deflate":
      return createInflate();
    default:
      return undefined;
  }
}
