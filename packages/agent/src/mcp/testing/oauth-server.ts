// For tests: a server that gives out tokens, with registration, PKCE and refresh, and says what it saw.
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type WebServer, webServer } from "../../tools/testing/web-server.ts";

export interface OAuthServer extends AsyncDisposable {
  readonly web: WebServer;
  /** The tokens that it would accept now. */
  readonly valid: Set<string>;
  /** Kinds of requests for tokens, in order. */
  readonly grants: string[];
  registered: number;
  /** True: the person says no. */
  refuses: boolean;
}

export async function oauthServer(): Promise<OAuthServer> {
  let tokens = 0;
  let refreshToken = "";
  const challenges = new Map<string, string>();
  const valid = new Set<string>();
  const grants: string[] = [];
  const state = { registered: 0, refuses: false };

  const authorize = (query: URLSearchParams, response: ServerResponse) => {
    const code = `code-${challenges.size + 1}`;
    challenges.set(code, query.get("code_challenge") ?? "");
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("state", query.get("state") ?? "");
    if (state.refuses) back.searchParams.set("error", "access_denied");
    else back.searchParams.set("code", code);
    response.writeHead(302, { location: back.href }).end();
  };

  const giveToken = (form: URLSearchParams, response: ServerResponse) => {
    const grant = form.get("grant_type") ?? "";
    grants.push(grant);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood =
      grant === "refresh_token"
        ? form.get("refresh_token") === refreshToken
        : challenges.get(form.get("code") ?? "") === challenge;
    if (!isGood) return json(response, { error: "invalid_grant" }, 400);
    tokens++;
    refreshToken = `refresh-token-${tokens}`;
    valid.add(`access-token-${tokens}`);
    json(response, { access_token: `access-token-${tokens}`, token_type: "Bearer", refresh_token: refreshToken });
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "", web.url("/"));
    const body = await text(request);
    switch (pathname) {
      case "/.well-known/oauth-authorization-server":
        return json(response, metadata(web));
      case "/register":
        state.registered++;
        return json(response, { ...JSON.parse(body), client_id: `client-${state.registered}` }, 201);
      case "/authorize":
        return authorize(searchParams, response);
      case "/token":
        return giveToken(new URLSearchParams(body), response);
      default:
        return response.writeHead(404).end();
    }
  };
  const web = await webServer((request, response) => void answer(request, response));
  return Object.assign(state, { web, valid, grants, [Symbol.asyncDispose]: () => web[Symbol.asyncDispose]() });
}

function metadata(web: WebServer): object {
  return {
    issuer: web.url(""),
    authorization_endpoint: web.url("/authorize"),
    token_endpoint: web.url("/token"),
    registration_endpoint: web.url("/register"),
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  };
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
