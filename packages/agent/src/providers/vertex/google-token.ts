// Gets access tokens of Google Cloud: for a service account, for the person who logged in with gcloud, or from gcloud itself.
import { execFile } from "node:child_process";
import { createSign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "@signalbox/tool-calls";
import { ProviderError } from "../provider-error.ts";
import type { Fetch } from "../provider-fetch.ts";

interface Token {
  readonly value: string;
  /** When another one is needed. */
  readonly endsAt: number;
}

/** The file that GOOGLE_APPLICATION_CREDENTIALS names, or that gcloud writes. */
type CredentialsFile = Readonly<Partial<Record<string, string>>>;

const usualTokenUrl = "https://oauth2.googleapis.com/token";
const scope = "https://www.googleapis.com/auth/cloud-platform";
/** Of a token from gcloud, which does not say how long it holds. It is an hour. */
const gcloudTokenMs = 30 * 60_000;
const renewBeforeMs = 60_000;
const programTimeoutMs = 30_000;

export class GoogleToken {
  /** Undefined where neither the environment nor the file names one. */
  readonly project: string | undefined;
  readonly #provider: string;
  readonly #file: CredentialsFile | undefined;
  readonly #env: NodeJS.ProcessEnv;
  readonly #send: Fetch;
  #token: Promise<Token> | undefined;

  private constructor(
    provider: string,
    given: string | undefined,
    file: CredentialsFile | undefined,
    env: NodeJS.ProcessEnv,
    send: Fetch,
  ) {
    this.#provider = provider;
    this.#file = file;
    this.#env = env;
    this.#send = send;
    this.project = env.GOOGLE_CLOUD_PROJECT || file?.project_id || file?.quota_project_id || undefined;
    if (given !== undefined) this.#token = Promise.resolve({ value: given, endsAt: Number.POSITIVE_INFINITY });
  }

  /** `given` is a token to use as it is. Throws a ProviderError where the file of the credentials cannot be read. */
  static async open(
    provider: string,
    given: string | undefined,
    env: NodeJS.ProcessEnv,
    send: Fetch,
  ): Promise<GoogleToken> {
    const file = given === undefined ? await readCredentials(provider, env) : undefined;
    return new GoogleToken(provider, given, file, env, send);
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    const { value } = await this.#current();
    const { type, quota_project_id: payer } = this.#file ?? {};
    // Requests of a person are counted for a project only where this header names it.
    return {
      authorization: `Bearer ${value}`,
      ...(type === "authorized_user" && payer !== undefined && { "x-goog-user-project": payer }),
    };
  }

  /** Parallel requests share one token; one that could not be had is asked for again. */
  async #current(): Promise<Token> {
    const last = this.#token;
    const token = await last?.catch(() => undefined);
    if (token !== undefined && Date.now() < token.endsAt - renewBeforeMs) return token;
    // Another request may have asked for a new one meanwhile.
    const asked = this.#token === last ? undefined : this.#token;
    this.#token = asked ?? this.#fetchToken();
    return await this.#token;
  }

  async #fetchToken(): Promise<Token> {
    switch (this.#file?.type) {
      case "service_account":
        return await this.#exchange({
          grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
          assertion: signedClaim(this.#file),
        });
      case "authorized_user": {
        const { client_id = "", client_secret = "", refresh_token = "" } = this.#file;
        return await this.#exchange({ grant_type: "refresh_token", client_id, client_secret, refresh_token });
      }
      default:
        return await this.#fromGcloud();
    }
  }

  async #exchange(fields: Record<string, string>): Promise<Token> {
    const response = await this.#send(this.#file?.token_uri ?? usualTokenUrl, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    });
    const answer = (await response.json().catch(() => ({}))) as {
      access_token?: string;
      expires_in?: number;
      error?: string;
      error_description?: string;
    };
    if (response.ok && answer.access_token !== undefined)
      return { value: answer.access_token, endsAt: Date.now() + (answer.expires_in ?? 0) * 1000 };
    const reason = answer.error_description ?? answer.error ?? `it answered ${response.status}`;
    throw new ProviderError(
      response.status >= 500 ? "unavailable" : "unauthorized",
      `Google gave ${this.#provider} no access token: ${reason.replace(/\.$/, "")}. Log in again with \`gcloud auth application-default login\`, or use another service account.`,
    );
  }

  /** For every other kind of credentials, such as those of Google's own machines. */
  async #fromGcloud(): Promise<Token> {
    const args = ["auth", "application-default", "print-access-token"];
    try {
      const { stdout } = await run("gcloud", args, { env: this.#env, timeout: programTimeoutMs });
      return { value: stdout.trim(), endsAt: Date.now() + gcloudTokenMs };
    } catch (error) {
      const { code, stderr } = error as { code?: unknown; stderr?: string };
      const reason =
        code === "ENOENT" ? "gcloud is not installed" : (stderr?.trim().split("\n")[0] ?? messageOf(error));
      throw new ProviderError(
        "misconfigured",
        `${this.#provider} needs credentials of Google Cloud: set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account, or log in with \`gcloud auth application-default login\` (${reason}).`,
      );
    }
  }
}

const run = promisify(execFile);

/** Undefined where there is none in the usual place. */
async function readCredentials(provider: string, env: NodeJS.ProcessEnv): Promise<CredentialsFile | undefined> {
  const named = env.GOOGLE_APPLICATION_CREDENTIALS;
  const folder = env.CLOUDSDK_CONFIG || join(env.HOME || homedir(), ".config", "gcloud");
  const file = named || join(folder, "application_default_credentials.json");
  try {
    return JSON.parse(await readFile(file, "utf8")) as CredentialsFile;
  } catch (error) {
    if (!named && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    // The message of a parser may quote the file.
    const reason = error instanceof SyntaxError ? "it is not JSON" : messageOf(error);
    throw new ProviderError("misconfigured", `${provider} cannot use the credentials in ${file}: ${reason}.`);
  }
}

/** Creates the claim of a service account, signed with its key (RFC 7523). */
function signedClaim({ client_email, private_key = "", private_key_id, token_uri }: CredentialsFile): string {
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: "RS256", typ: "JWT", ...(private_key_id !== undefined && { kid: private_key_id }) };
  const claim = { iss: client_email, scope, aud: token_uri ?? usualTokenUrl, iat: now, exp: now + 3600 };
  const text = [header, claim].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  try {
    return `${text}.${createSign("RSA-SHA256").update(text).sign(private_key, "base64url")}`;
  } catch {
    throw new ProviderError(
      "misconfigured",
      "The file of the service account has no usable private_key. Download it again.",
    );
  }
}
