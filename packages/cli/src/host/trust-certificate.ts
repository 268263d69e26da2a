import type { ConnectionOptions } from "node:tls";

/** Trusts exactly the certificate that the host recorded, with any issuer and any name. */
export function trustCertificate(certificate: string | undefined): ConnectionOptions {
  if (certificate === undefined) return {};
  return { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}
