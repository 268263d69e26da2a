// Describes where the host listens: on this machine only, encrypted, or unencrypted on a network, which gives a warning.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { createSecureContext } from "node:tls";
import { type ListeningRow, messageOf } from "@signalbox/protocol";
import { StartError } from "../data/host-error.ts";

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate and its key, as text. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

/** Throws a StartError that says which file is wrong. */
export function readTls({ cert, key }: TlsFiles): Tls {
  const tls = { cert: readText(cert), key: readText(key) };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new StartError(`${cert} and ${key} are no certificate with its key (PEM): ${messageOf(error)}`, {
      cause: error,
    });
  }
  return tls;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

export function describeListening(host: string, port: number, tls: Tls | null): ListeningRow {
  const isOpen = tls === null && !isLoopback(host);
  const warning = isOpen
    ? `Signalbox listens on ${host} without encryption: anyone who can read the traffic on that network can take control of your agents and of this ` +
      "machine. Start with --tls-cert and --tls-key, or listen on 127.0.0.1 and use an SSH tunnel."
    : null;
  const fingerprint = tls === null ? null : new X509Certificate(tls.cert).fingerprint256;
  return { host, port, tls: tls !== null, fingerprint, warning };
}

/** The names that a request may address: the host's own, those of the certificate, and on every address those of the machine. */
export function listHostNames(host: string, port: number, tls: Tls | null): readonly string[] {
  const names = ["127.0.0.1", "localhost", "::1", host.toLowerCase(), ...readCertificateNames(tls)];
  if (host === "0.0.0.0" || host === "::") names.push(...listMachineNames());
  const standard = tls === null ? 80 : 443;
  return [...new Set(names)].flatMap((name) => {
    const written = name.includes(":") ? `[${name}]` : name;
    return port === standard ? [written, `${written}:${port}`] : [`${written}:${port}`];
  });
}

/** Chooses the names that a certificate for this machine must have. */
export function chooseCertificateNames(host: string): readonly string[] {
  const everywhere = host === "0.0.0.0" || host === "::";
  const names = ["localhost", "127.0.0.1", ...(everywhere ? listMachineNames() : [host.toLowerCase()])];
  // An address of one link only (fe80…%eth0) is no name that others could use.
  return [...new Set(names)].filter((name) => !name.includes("%") && !name.startsWith("fe80:"));
}

function listMachineNames(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  return [hostname().toLowerCase(), ...addresses];
}

function readCertificateNames(tls: Tls | null): readonly string[] {
  const names = tls === null ? "" : (new X509Certificate(tls.cert).subjectAltName ?? "");
  return [...names.matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(([, name = ""]) => name.toLowerCase());
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
