// Logs a person in to an MCP server by OAuth: discovery, registration, PKCE, the browser, and the tokens, which are kept.
import { randomBytes } from "node:crypto";
import { auth, extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import type { HttpServerConfig } from "@signalbox/agent-kit";
import { cleanLine } from "@signalbox/agent-kit";
import type { LoginStore } from "@signalbox/config/logins";
import { messageOf, untilAborted } from "@signalbox/tool-calls";
import type { Resolve } from "../../tools/fetch/checked-address.ts";
import { LogInAddresses } from "./guarded-fetch.ts";
import { RedirectServer } from "./redirect-server.ts";
import { loginId, ServerLogin } from "./server-login.ts";

export interface LogInOptions {
  readonly store: LoginStore;
  /** Shows the address to the person. Rejects when they do not want to; when it resolves, they still may be on their way. */
  readonly show: (address: string, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly resolve?: Resolve;
}

/** How long a person may take. */
const timeoutMs = 600_000;

/** Throws an error whose message says why there is no log-in. */
export async function logIn(config: HttpServerConfig, options: LogInOptions): Promise<void> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs)]);
  const serverUrl = new URL(config.url);
  const addresses = new LogInAddresses(serverUrl, options.resolve);
  await using redirect = await RedirectServer.listen(await usualPort(config, options.store));
  const state = randomBytes(32).toString("base64url");
  redirect.expect(state);
  let address: URL | undefined;
  const login = new ServerLogin(config, options.store, {
    redirectUrl: redirect.url,
    state,
    show: (shown) => {
      address = shown;
    },
  });
  const request = { serverUrl, fetchFn: addresses.fetch };
  try {
    const challenge = await requestChallenge(serverUrl, signal);
    await untilAborted(auth(login, { ...request, ...challenge, forceReauthorization: true }), signal);
    if (address === undefined) throw new Error("the server named no page for the log-in");
    await addresses.check(address);
    const answer = await browserAnswer(redirect, address.href, options.show, signal);
    const iss = answer.get("iss");
    const code = { authorizationCode: readCode(answer), ...(iss !== null && { iss }) };
    await untilAborted(auth(login, { ...request, ...code }), signal);
  } catch (error) {
    options.signal.throwIfAborted();
    throw new Error(addresses.refusal ?? cleanLine(messageOf(error), 500), { cause: error });
  }
}

/** The address may be declined; otherwise the browser's answer counts, however it was opened. */
async function browserAnswer(
  redirect: RedirectServer,
  address: string,
  show: LogInOptions["show"],
  signal: AbortSignal,
): Promise<URLSearchParams> {
  const shown = new AbortController();
  const declined = Promise.withResolvers<never>();
  show(address, AbortSignal.any([signal, shown.signal])).catch((error) => declined.reject(error));
  try {
    return await untilAborted(Promise.race([redirect.answer, declined.promise]), signal);
  } finally {
    declined.promise.catch(() => {});
    shown.abort();
  }
}

function readCode(answer: URLSearchParams): string {
  const code = answer.get("code");
  if (code !== null) return code;
  throw new Error(`the log-in was refused (${cleanLine(answer.get("error") ?? "no reason given", 100)})`);
}

/** Requests the server without a log-in, and returns its description of how to log in. */
async function requestChallenge(server: URL, signal: AbortSignal) {
  const response = await fetch(server, {
    method: "POST",
    redirect: "manual",
    signal,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" }),
  });
  await response.body?.cancel();
  if (response.status !== 401) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
  };
}

/** The one that the client is registered with. */
async function usualPort({ oauth, url }: HttpServerConfig, store: LoginStore): Promise<number> {
  if (oauth?.callbackPort !== undefined) return oauth.callbackPort;
  const text = await store.read(loginId({ url }));
  try {
    const { redirectUrl } = JSON.parse(text ?? "") as { redirectUrl: string };
    return Number(new URL(redirectUrl).port);
  } catch {
    return 0;
  }
}
