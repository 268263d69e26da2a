// Implements fetch for provider packages on node:http, which is faster than the built-in one for the many small answers of a turn (ADR 7). It
// keeps connections while tools run, explains why a provider cannot be reached, sends no key to another host, and detects a stalled answer.
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { type Duplex, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { networkProblem } from "@signalbox/sandbox/network-problem";
import { messageOf } from "@signalbox/tool-calls";
import { ProviderError } from "./provider-error.ts";

export type Fetch = typeof globalThis.fetch;

interface ProviderRequest {
  readonly provider: string;
  readonly stallMs: number;
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** How many redirects it has followed. */
  readonly redirects: number;
}

/** How long an unused connection is kept. A command between two requests can take long. */
const idleTimeoutMs = 60_000;
const maxRedirects = 5;
/** Chunks that wait for the reader before the connection is paused. */
const maxWaitingChunks = 16;
/** A Response with one of these has no body. */
const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

const { env } = process;
const connections: http.AgentOptions = {
  keepAlive: true,
  // The connection that was used last is the least likely to be closed.
  scheduling: "lifo",
  timeout: idleTimeoutMs,
  // As everywhere in Node: HTTPS_PROXY and the like are used when this is set.
  ...(env.NODE_USE_ENV_PROXY === "1" && { proxyEnv: env }),
};
/** Made for the first request: an agent that waits for its first prompt needs no TLS in its memory. */
const agents: { plain?: http.Agent; secure?: https.Agent } = {};

/** Accepts what the provider packages pass: an address, headers, and a body of text. */
export function providerFetch(provider: string, stallMs: number): Fetch {
  return async (input, init = {}) => {
    const { method = "GET", headers, body, signal } = init;
    if (
      !(typeof input === "string" || input instanceof URL) ||
      !(typeof body === "string" || body === undefined || body === null)
    ) {
      throw new TypeError(`A request to ${provider} must have an address and a body of text.`);
    }
    return await send({
      provider,
      stallMs,
      url: new URL(input),
      method,
      // Compression gains nothing for a stream of small pieces, and delays each of them.
      headers: { "accept-encoding": "identity", ...Object.fromEntries(new Headers(headers)) },
      body: body ?? undefined,
      signal: signal ?? undefined,
      redirects: 0,
    });
  };
}

/** Until the last byte of the answer, the signal ends it, and so does a pause of more than `stallMs`. */
async function send(sent: ProviderRequest): Promise<Response> {
  const { provider, stallMs, body, signal } = sent;
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  signal?.throwIfAborted();
  const request = openRequest(sent);
  let answer: IncomingMessage | undefined;
  const destroy = (reason: Error) => (answer ?? request).destroy(reason);
  const cancel = () => destroy(signal?.reason);
  const timer = setTimeout(() => {
    // Paused means that our own reader is slow, not the provider.
    if (answer?.isPaused() === true) timer.refresh();
    else destroy(new ProviderError("stalled", `${provider} sent nothing for ${Math.round(stallMs / 1000)} seconds.`));
  }, stallMs);
  signal?.addEventListener("abort", cancel);
  request.on("response", (message) => {
    answer = message;
    timer.refresh();
    // Any byte counts, also a provider's keep-alive.
    message.on("data", () => timer.refresh());
    try {
      resolve(isRedirect(message) ? followRedirect(sent, message) : createResponse(message, provider));
    } catch (error) {
      message.destroy();
      reject(error);
    }
  });
  request.on("error", (error: NodeJS.ErrnoException) => {
    // The provider closed an idle connection at the moment of its reuse: that is no failure of the provider.
    if (request.reusedSocket && error.code === "ECONNRESET") resolve(send(sent));
    else reject(error === signal?.reason || error instanceof ProviderError ? error : unreachable(provider, error));
  });
  request.on("close", () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  });
  request.end(body);
  return await promise;
}

function openRequest({ provider, url, method, headers }: ProviderRequest): http.ClientRequest {
  try {
    return url.protocol === "https:"
      ? https.request(url, { method, headers, agent: (agents.secure ??= new https.Agent(connections)) })
      : http.request(url, { method, headers, agent: (agents.plain ??= new http.Agent(connections)) });
  } catch (error) {
    // Node refuses another protocol, or a control character in a header. Its message names the header, not the value.
    throw new ProviderError(
      "misconfigured",
      `The request to ${provider} cannot be sent: ${messageOf(error)}. Check the base URL, the key and the headers.`,
    );
  }
}

function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
}

/** Follows only to the same host, because the key is not for others, and only with the same method and body. */
function followRedirect(sent: ProviderRequest, answer: IncomingMessage): Promise<Response> {
  const { provider, url, method, redirects } = sent;
  const target = URL.parse(answer.headers.location ?? "", url.href);
  const keepsRequest = method === "GET" || answer.statusCode === 307 || answer.statusCode === 308;
  answer.destroy();
  if (target === null || redirects >= maxRedirects) {
    const message = `${provider} sends us from ${url.origin}${url.pathname} to nowhere. Check the base URL.`;
    throw new ProviderError("not_found", message);
  }
  if (target.origin !== url.origin || !keepsRequest) {
    const message = `${provider} is not at ${url.origin}${url.pathname}, it says, but at ${target.origin}${target.pathname}. If you trust that, set the base URL to match.`;
    throw new ProviderError("not_found", message);
  }
  return send({ ...sent, url: target, redirects: redirects + 1 });
}

function unreachable(provider: string, error: unknown): ProviderError {
  return new ProviderError(
    "unreachable",
    `${provider} cannot be reached: ${networkProblem(error)}. Check the network and the base URL.`,
  );
}

/** Converts the answer into the Response that provider packages expect. Its body flows as fast as it is read. */
function createResponse(message: IncomingMessage, provider: string): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  if (status < 200 || status > 599) {
    throw new ProviderError("broken_stream", `${provider} answered ${status}, which is not an HTTP status.`);
  }
  const headers = readHeaders(message);
  if (bodilessStatuses.has(status)) {
    message.resume();
    return new Response(null, { status, statusText, headers });
  }
  const explain = (error: Error) =>
    error instanceof ProviderError
      ? error
      : new ProviderError("broken_stream", `The answer of ${provider} broke off: ${error.message}`);
  return new Response(createBody(decompress(message), explain), { status, statusText, headers });
}

function readHeaders(message: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}

/** Some gateways compress even when asked not to. */
function decompress(message: IncomingMessage): Readable {
  const decoder = createDecoder(message.headers["content-encoding"]);
  // The reader gets the errors of both sides.
  return decoder === undefined ? message : pipeline(message, decoder, () => {});
}

function createDecoder(encoding: string | undefined): Duplex | undefined {
  switch (encoding) {
    case "gzip":
    case "deflate":
      return createUnzip();
    case "br":
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

function createBody(source: Readable, explain: (error: Error) => Error): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      start(controller) {
        source.on("data", (bytes: Uint8Array) => {
          controller.enqueue(bytes);
          if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        source.on("end", () => controller.close());
        source.on("error", (error) => controller.error(explain(error)));
      },
      pull() {
        source.resume();
      },
      cancel() {
        source.destroy();
      },
    },
    { highWaterMark: maxWaitingChunks },
  );
}
