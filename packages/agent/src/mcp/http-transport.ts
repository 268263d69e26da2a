// Makes the transports to servers at a URL: streamable HTTP, and SSE for those that know only that.
import {
  type FetchLike,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { HttpServerConfig } from "@signalbox/agent-kit";
import type { LoginStore } from "@signalbox/config/logins";
import { networkProblem } from "@signalbox/sandbox/network-problem";
import { boundedFetch } from "./bounded-fetch.ts";
import { LogInAddresses } from "./log-in/guarded-fetch.ts";
import { loginId, ServerLogin } from "./log-in/server-login.ts";

export function httpTransport(config: HttpServerConfig, logins: LoginStore): Transport {
  const url = new URL(config.url);
  const isLoggedIn = canLogIn(config) && logins.has(loginId(config));
  const options = {
    requestInit: { headers: { ...config.headers } },
    fetch: serverFetch(config),
    ...(isLoggedIn && { authProvider: new ServerLogin(config, logins) }),
  };
  // oxlint-disable-next-line typescript/no-deprecated -- there are servers that know nothing else
  if (config.type === "sse") return new SSEClientTransport(url, options);
  return new StreamableHTTPClientTransport(url, { ...options, onInsufficientScope: "throw" });
}

/** A project's server gets no log-in: the project would act in the person's name. A header of the config is one already. */
export function canLogIn({ origin, headers }: HttpServerConfig): boolean {
  return origin !== "project" && !Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

/** MCP: a server that refuses the first request in one of these ways may know only SSE. */
export function mayKnowOnlySse(error: unknown): boolean {
  return error instanceof SdkHttpError && [400, 404, 405].includes(error.status ?? 0);
}

/** The server's own origin is where the user pointed us. Everything else comes from a log-in, and gets no header of the config. */
function serverFetch(config: HttpServerConfig): FetchLike {
  const { origin } = new URL(config.url);
  const own = boundedFetch(fetchOrExplain);
  const addresses = new LogInAddresses(new URL(config.url));
  return async (url, init = {}) => {
    if (new URL(url).origin === origin) return await own(url, init);
    const headers = new Headers(init.headers);
    for (const name of Object.keys(config.headers)) headers.delete(name);
    return await addresses.fetch(url, { ...init, headers });
  };
}

/** Node says only "fetch failed"; the reason is the cause. The class of the error stays: the SDK looks at it. */
const fetchOrExplain: FetchLike = async (url, init) => {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new TypeError(`${new URL(url).origin} cannot be reached: ${networkProblem(error)}`, { cause: error });
  }
};
