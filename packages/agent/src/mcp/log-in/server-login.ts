// Holds the log-in of one MCP server for the SDK: the client that was registered, the tokens, and where they come from.
import {
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { HttpServerConfig } from "@signalbox/agent-kit";
import type { LoginStore } from "@signalbox/config/logins";
import { z } from "zod";

/** A stored log-in. The SDK checks the parts that it uses. */
const keptLogin = z.object({
  redirectUrl: z.string(),
  client: z.record(z.string(), z.unknown()).optional(),
  tokens: z.record(z.string(), z.unknown()).optional(),
  discovery: z.record(z.string(), z.unknown()).optional(),
});

interface KeptLogin {
  readonly redirectUrl: string;
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  readonly discovery?: OAuthDiscoveryState;
}

/** While a person logs in. */
interface RunningLogIn {
  readonly redirectUrl: string;
  readonly state: string;
  readonly show: (address: URL) => void;
}

/** By address and not by name: a log-in is for exactly the server that it was made for. */
export function loginId(config: Pick<HttpServerConfig, "url">): string {
  const url = new URL(config.url);
  url.hash = "";
  return url.href;
}

export class ServerLogin implements OAuthClientProvider {
  readonly #config: HttpServerConfig;
  readonly #store: LoginStore;
  readonly #running: RunningLogIn | undefined;
  #verifier = "";
  /** Of the log-in that runs: where it began, it must end. */
  #discovery: OAuthDiscoveryState | undefined;

  /** Without `running` it only uses and renews what there is. */
  constructor(config: HttpServerConfig, store: LoginStore, running?: RunningLogIn) {
    this.#config = config;
    this.#store = store;
    this.#running = running;
  }

  get redirectUrl(): string {
    // Never called without a log-in that runs; but without one the SDK would ask for tokens of a program.
    return this.#running?.redirectUrl ?? "http://127.0.0.1/callback";
  }

  get clientMetadata(): OAuthClientMetadata {
    const scope = this.#config.oauth?.scopes?.join(" ");
    return {
      client_name: "Signalbox",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(scope !== undefined && { scope }),
    };
  }

  readonly state = (): string => this.#running?.state ?? "";

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { clientId, clientSecret } = this.#config.oauth ?? {};
    if (clientId !== undefined)
      return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
    const kept = await this.#read();
    if (this.#running === undefined) {
      if (kept?.client === undefined) throw loginNeeded();
      return kept.client;
    }
    // A client is registered with the address that the browser comes back to.
    return kept?.redirectUrl === this.#running.redirectUrl ? kept.client : undefined;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    await this.#change({ client });
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    return (await this.#read())?.tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    await this.#change({ tokens, ...(this.#discovery !== undefined && { discovery: this.#discovery }) });
  }

  redirectToAuthorization(address: URL): void {
    if (this.#running === undefined) throw loginNeeded();
    this.#running.show(address);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    // A new log-in looks again: the server may have moved.
    return this.#discovery ?? (this.#running === undefined ? (await this.#read())?.discovery : undefined);
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    if (scope === "all") await this.#store.remove(loginId(this.#config));
    else if (scope === "client" || scope === "tokens" || scope === "discovery")
      await this.#change({ [scope]: undefined });
  }

  async #read(): Promise<KeptLogin | undefined> {
    const text = await this.#store.read(loginId(this.#config));
    if (text === undefined) return undefined;
    try {
      return keptLogin.parse(JSON.parse(text)) as KeptLogin;
    } catch {
      return undefined;
    }
  }

  async #change(change: { readonly [Key in keyof KeptLogin]?: KeptLogin[Key] | undefined }): Promise<void> {
    const kept = await this.#read();
    const redirectUrl = this.#running?.redirectUrl ?? kept?.redirectUrl ?? this.redirectUrl;
    await this.#store.write(loginId(this.#config), JSON.stringify({ ...kept, ...change, redirectUrl }));
  }
}

function loginNeeded(): Error {
  return new UnauthorizedError("the log-in is missing, or has ended");
}
