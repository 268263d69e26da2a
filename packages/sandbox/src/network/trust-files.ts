// Writes the files by which programs in the sandbox trust a session's authority, and names the variables that lead to them.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { readPlainText } from "../files/read-plain-file.ts";

/** In the data folder, where commands may read and not write. */
export const trustFolder = "trust";

export interface TrustFiles {
  readonly variables: Readonly<Record<string, string>>;
  remove(): void;
}

/** Where systems keep the authorities that they trust. */
const systemBundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

const maxBundleBytes = 16 * 1024 * 1024;

/** Writes trust files that include the system's list, because most variables replace that list. */
export function writeTrustFiles(
  dataFolder: string,
  name: string,
  certificate: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): TrustFiles {
  const folder = join(dataFolder, trustFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const whole = join(folder, `${name}.pem`);
  const more = join(folder, `${name}-more.pem`);
  const usual = [env.SSL_CERT_FILE, ...systemBundles].map(readText).find((text) => text !== "");
  writeFileSync(whole, `${usual ?? rootCertificates.join("\n")}\n${certificate}`);
  writeFileSync(more, `${readText(env.NODE_EXTRA_CA_CERTS)}\n${certificate}`);
  const variables = {
    SSL_CERT_FILE: whole,
    CURL_CA_BUNDLE: whole,
    GIT_SSL_CAINFO: whole,
    REQUESTS_CA_BUNDLE: whole,
    PIP_CERT: whole,
    CARGO_HTTP_CAINFO: whole,
    AWS_CA_BUNDLE: whole,
    NODE_EXTRA_CA_CERTS: more,
    DENO_CERT: more,
  };
  return { variables, remove: () => [whole, more].forEach((file) => rmSync(file, { force: true })) };
}

function readText(file: string | undefined): string {
  try {
    return file === undefined || file === "" ? "" : readPlainText(file, maxBundleBytes);
  } catch {
    return "";
  }
}
