// fetch for providers, on Node's own http: for the many small answers of a turn it takes far less time than the one that is built in
// (ADR 7). It keeps connections while tools work, says why a provider cannot be reached, sends no key to another host, and notices when
// an answer stops coming.
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { ProviderError } from "./provider-error.ts";
import { responseOf } from "./provider-response.ts";

export type Fetch = typeof globalThis.fetch;

interface Question {
  readonly provider: string;
  readonly stallMs: number;
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** How often it was sent on. */
  readonly redirects: number;
}

/** How long a connection is kept that nobody uses: a command between two requests may take its time. */
const keptMs = 60_000;
const mostRedirects = 5;

const { env } = process;
const connections: http.AgentOptions = {
  keepAlive: true,
  // The one that was used last is the least likely to be closed.
  scheduling: "lifo",
  timeout: keptMs,
  // As everywhere in Node: HTTPS_PROXY and its like count when this says so.
  ...(env.NODE_USE_ENV_PROXY === "1" && { proxyEnv: env }),
};
const plain = new http.Agent(connections);
const secure = new https.Agent(connections);

/** Takes what the provider packages give: an address, headers, and a body of text. */
export function providerFetch(provider: string, stallMs: number): Fetch {
  return async (input, init = {}) => {
    const { method = "GET", headers, body, signal } = init;
    if (input instanceof Request || !(typeof body === "string" || body === undefined || body === null)) {
      throw new TypeError(`What ${provider} is asked must be an address and a body of text.`);
    }
    return await ask({
      provider,
      stallMs,
      url: new URL(input),
      method,
      // A stream of small pieces gains nothing from being packed, and each would wait for the next.
      headers: { "accept-encoding": "identity", ...Object.fromEntries(new Headers(headers)) },
      body: body ?? undefined,
      signal: signal ?? undefined,
      redirects: 0,
    });
  };
}

/** Until the last byte of the answer is there, it ends with the signal, and when nothing comes for too long. */
async function ask(question: Question): Promise<Response> {
  const { provider, stallMs, body, signal } = question;
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  signal?.throwIfAborted();
  const request = requestFor(question);
  let answer: IncomingMessage | undefined;
  const giveUp = (reason: Error) => (answer ?? request).destroy(reason);
  const cancel = () => giveUp(signal?.reason);
  const timer = setTimeout(() => {
    // Whoever reads may take longer than whoever writes.
    if (answer?.isPaused() === true) timer.refresh();
    else giveUp(new ProviderError("stalled", `${provider} sent nothing for ${Math.round(stallMs / 1000)} seconds.`));
  }, stallMs);
  signal?.addEventListener("abort", cancel);
  request.on("response", (message) => {
    answer = message;
    timer.refresh();
    // Any byte is a sign of life, also a provider's keep-alive.
    message.on("data", () => timer.refresh());
    try {
      resolve(isRedirect(message) ? askElsewhere(question, message) : responseOf(message, provider));
    } catch (error) {
      message.destroy();
      reject(error);
    }
  });
  request.on("error", (error: NodeJS.ErrnoException) => {
    // A connection that the provider closed just when it was used again says nothing about the provider.
    if (request.reusedSocket && error.code === "ECONNRESET") resolve(ask(question));
    else reject(error === signal?.reason || error instanceof ProviderError ? error : unreachable(provider, error));
  });
  request.on("close", () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  });
  request.end(body);
  return await promise;
}

function requestFor({ provider, url, method, headers }: Question): http.ClientRequest {
  try {
    return url.protocol === "https:"
      ? https.request(url, { method, headers, agent: secure })
      : http.request(url, { method, headers, agent: plain });
  } catch (error) {
    // What Node does not even send: another protocol, a line break in a key. It names the header, not what is in it.
    throw new ProviderError(
      "misconfigured",
      `${provider} cannot be asked: ${wordsOf(error)}. Check the base URL, the key and the headers.`,
    );
  }
}

function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
}

/** Only to the same host, and only with the same question: the key is not for others, and an answer to another question is none. */
function askElsewhere(question: Question, answer: IncomingMessage): Promise<Response> {
  const { provider, url, method, redirects } = question;
  const place = URL.parse(answer.headers.location ?? "", url.href);
  const sameQuestion = method === "GET" || answer.statusCode === 307 || answer.statusCode === 308;
  answer.destroy();
  if (place === null || redirects >= mostRedirects) {
    const words = `${provider} sends us from ${url.origin}${url.pathname} to nowhere. Check the base URL.`;
    throw new ProviderError("not_found", words);
  }
  if (place.origin !== url.origin || !sameQuestion) {
    const words = `${provider} is not at ${url.origin}${url.pathname}, it says, but at ${place.origin}${place.pathname}. If you trust that, set the base URL to match.`;
    throw new ProviderError("not_found", words);
  }
  return ask({ ...question, url: place, redirects: redirects + 1 });
}

function unreachable(provider: string, error: unknown): ProviderError {
  return new ProviderError(
    "unavailable",
    `${provider} cannot be reached: ${wordsOf(error)}. Check the network and the base URL.`,
  );
}

/** Where several addresses were tried, Node's error has a code and no words. */
function wordsOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
