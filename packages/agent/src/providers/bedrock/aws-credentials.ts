// Finds the credentials of AWS: in the environment, in the profile, or by the program that gives them to AWS's own tools.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ProviderError } from "../provider-error.ts";
import type { AwsProfile } from "./aws-profile.ts";

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** New ones are asked for when the old ones end so soon. */
const renewBeforeMs = 5 * 60_000;
const programTimeoutMs = 60_000;

export class AwsCredentials {
  readonly #provider: string;
  readonly #profile: AwsProfile;
  readonly #env: NodeJS.ProcessEnv;
  #current: Credentials | undefined;
  #endsAt = Number.POSITIVE_INFINITY;

  constructor(provider: string, profile: AwsProfile, env: NodeJS.ProcessEnv) {
    this.#provider = provider;
    this.#profile = profile;
    this.#env = env;
  }

  /** Those that `refresh` found. */
  get current(): Credentials {
    if (this.#current === undefined) throw new Error("the credentials are read before they were looked for");
    return this.#current;
  }

  /** Throws a ProviderError that says what to set. */
  async refresh(): Promise<void> {
    if (this.#current !== undefined && Date.now() < this.#endsAt - renewBeforeMs) return;
    const written = fromVariables(this.#env) ?? fromProfile(this.#profile);
    if (written !== undefined) {
      this.#current = written;
      return;
    }
    const { credentials, endsAt } = await this.#fromProgram();
    this.#current = credentials;
    this.#endsAt = endsAt;
  }

  /** The profile's `credential_process`, else AWS's command line, which knows log-ins (SSO), roles and the credentials of its own machines. */
  async #fromProgram(): Promise<{ credentials: Credentials; endsAt: number }> {
    const { name, values } = this.#profile;
    const { credential_process: own } = values;
    const [program, args] =
      own === undefined
        ? ["aws", ["configure", "export-credentials", "--format", "process", "--profile", name]]
        : ["/bin/sh", ["-c", own]];
    try {
      const { stdout } = await run(program, args, { env: this.#env, timeout: programTimeoutMs });
      return readAnswer(stdout);
    } catch (error) {
      throw this.#missing(own === undefined ? "aws configure export-credentials" : "credential_process", error);
    }
  }

  #missing(program: string, error: unknown): ProviderError {
    const { code, stderr, message } = error as { code?: unknown; stderr?: string; message: string };
    // The program's stdout may hold a secret; its stderr explains the failure.
    const reason = code === "ENOENT" ? "it is not installed" : stderr?.trim().split("\n").at(-1) || message;
    return new ProviderError(
      "misconfigured",
      `${this.#provider} needs credentials of AWS: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile (AWS_PROFILE). The profile ${this.#profile.name} has no keys, and \`${program}\` gave none: ${reason}`,
    );
  }
}

const run = promisify(execFile);

function fromVariables(env: NodeJS.ProcessEnv): Credentials | undefined {
  return buildCredentials(env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN);
}

function fromProfile({ values }: AwsProfile): Credentials | undefined {
  return buildCredentials(values.aws_access_key_id, values.aws_secret_access_key, values.aws_session_token);
}

function buildCredentials(accessKeyId = "", secretAccessKey = "", sessionToken = ""): Credentials | undefined {
  if (accessKeyId === "" || secretAccessKey === "") return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) };
}

/** The form that AWS documents for `credential_process`. */
function readAnswer(text: string): { credentials: Credentials; endsAt: number } {
  let answer: Partial<Record<"AccessKeyId" | "SecretAccessKey" | "SessionToken" | "Expiration", string>>;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error("its answer is not JSON");
  }
  const credentials = buildCredentials(answer.AccessKeyId, answer.SecretAccessKey, answer.SessionToken);
  if (credentials === undefined) throw new Error("its answer has no AccessKeyId and SecretAccessKey");
  const endsAt = Date.parse(answer.Expiration ?? "");
  return { credentials, endsAt: Number.isNaN(endsAt) ? Number.POSITIVE_INFINITY : endsAt };
}
