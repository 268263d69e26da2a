// Says in plain words why a server cannot be reached. The words complete a sentence: "models.dev cannot be reached: …".

const reasons: Readonly<Record<string, string>> = {
  EAI_AGAIN: "its name could not be looked up; this machine may be offline",
  ECONNRESET: "the connection was interrupted",
  EPIPE: "the connection was interrupted",
  UND_ERR_SOCKET: "the connection was interrupted",
  EHOSTUNREACH: "there is no way to it from here",
  ENETUNREACH: "this machine has no network",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  TimeoutError: "it does not answer in time",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "its certificate is self-signed. NODE_EXTRA_CA_CERTS names a file with certificates to trust",
  SELF_SIGNED_CERT_IN_CHAIN:
    "its certificate is of an unknown authority. NODE_EXTRA_CA_CERTS names a file with certificates to trust",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate is of an unknown authority. NODE_EXTRA_CA_CERTS names a file with certificates to trust",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

interface Fields {
  readonly name?: string;
  readonly message?: string;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
  readonly errors?: readonly unknown[];
}

/** Without a full stop. An error that is none of the network is quoted. */
export function networkProblem(error: unknown): string {
  const fields = deepest(error);
  const { name = "", message, code, hostname, address, port } = fields;
  if (code === "ENOTFOUND") return `the name ${hostname} was not found; this machine may be offline`;
  if (code === "ECONNREFUSED")
    return `nothing listens at ${address === undefined ? "its address" : `${address}:${port}`}`;
  return reasons[String(code)] ?? reasons[name] ?? (message || String(code ?? error));
}

/** Node's fetch says only "fetch failed", and of several addresses that were tried only that all failed: the reason lies inside. */
function deepest(error: unknown): Fields {
  if (typeof error !== "object" || error === null) return { message: String(error) };
  const { cause, errors } = error as Fields;
  const inner = cause instanceof Error ? cause : errors?.[0];
  return inner === undefined ? error : deepest(inner);
}
