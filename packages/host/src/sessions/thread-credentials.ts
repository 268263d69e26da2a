// Reads the credentials that the proxy of a thread adds to requests: which there are, from the user's config, and their values, from the host's own
// environment or the keys that were given to Signalbox. The values go to the proxy and nowhere else.
import type { CredentialReference } from "@signalbox/config";
import type { KeyStore } from "@signalbox/config/keys";
import type { HostCredential } from "@signalbox/sandbox/network";
import { HostError } from "../data/host-error.ts";

interface ThreadCredentials {
  readonly credentials: readonly HostCredential[];
  /** For a person: which host gets which, and which is missing. Without values. */
  readonly described: readonly string[];
}

/** They say how a message is read, or whom it is for. */
const closedHeaders = new Set(["host", "connection", "content-length", "transfer-encoding", "upgrade", "expect", "te"]);

/** Throws a HostError for an entry that cannot be used. */
export async function readCredentials(
  references: readonly CredentialReference[],
  keys: KeyStore,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ThreadCredentials> {
  if (references.some(({ key }) => key !== undefined)) await keys.load();
  const found = references.map((reference) => ({ reference, value: readValue(reference, keys, env) }));
  return {
    credentials: found.flatMap(({ reference, value }) => (value === undefined ? [] : [toCredential(reference, value)])),
    described: found.map(({ reference, value }) => describe(reference, value !== undefined)),
  };
}

function readValue(
  { env: name, key }: CredentialReference,
  keys: KeyStore,
  env: Readonly<Record<string, string | undefined>>,
) {
  const value = name === undefined ? key && keys.readAgentKeys(key.agent)[key.variable] : env[name];
  return value === "" ? undefined : value;
}

function toCredential({ name, host: written, header, prefix }: CredentialReference, value: string): HostCredential {
  const refuse = (why: string) => new HostError("bad_request", `sandbox.credentials.${name} cannot be used: ${why}.`);
  const [, host, port = "443"] =
    /^((?!\d+(?:\.\d+)*$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(\d{1,5}))?$/.exec(written.toLowerCase()) ?? [];
  if (host === undefined) throw refuse("its host has to be one name, with a port if it is not 443");
  if (closedHeaders.has(header)) throw refuse(`the header ${header} belongs to the connection`);
  const whole = `${prefix}${value.trim()}`;
  if (!/^[\x20-\x7e]+$/.test(whole)) throw refuse("its value has characters that a header cannot have");
  return { name, host, port: Number(port), header, value: whole };
}

function describe({ name, host, env, key }: CredentialReference, isThere: boolean): string {
  if (isThere) return `Requests to ${host} get the credential ${name}, which no command sees.`;
  const where =
    env === undefined ? `no key ${key?.variable} of ${key?.agent} was given to Signalbox` : `${env} is not set`;
  return `Requests to ${host} get no credential: ${where}.`;
}
