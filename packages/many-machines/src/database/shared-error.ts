// Explains in one sentence why the shared database cannot be used, without the password.
import { messageOf } from "@signalbox/protocol";

/** `refused` lasts until a person changes something; `unreachable` may pass by itself. */
type SharedErrorCode = "refused" | "unreachable";

export class SharedError extends Error {
  override readonly name = "SharedError";
  readonly code: SharedErrorCode;

  constructor(code: SharedErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function explainTakenName(machine: string): string {
  return `the machine name ${machine} belongs to another data folder. Set shared.machine in config.json to a name of its own.`;
}

type Explanation = readonly [SharedErrorCode, string];

/** By code of PostgreSQL, of the network, or of TLS. */
const explanations: Readonly<Record<string, Explanation>> = {
  "28P01": ["refused", "the password is wrong."],
  "28000": ["refused", "it does not let this role in."],
  "3D000": ["refused", "it has no database of this name."],
  "42501": [
    "refused",
    "the role may not do this. `signalbox shared init --role ROLE`, as the owner, gives it the rights.",
  ],
  "25006": ["unreachable", "it is read-only (a replica?). Use the address of the primary."],
  "53100": ["unreachable", "its disk is full."],
  "53300": ["unreachable", "it has no free connections. Use a pooler, or raise max_connections."],
  "57P01": ["unreachable", "it is shutting down."],
  "57P03": ["unreachable", "it is starting up."],
  "57014": ["unreachable", "it took too long to answer."],
  ECONNREFUSED: ["unreachable", "nothing listens there."],
  ECONNRESET: ["unreachable", "the connection was interrupted."],
  EPIPE: ["unreachable", "the connection was interrupted."],
  ENOTFOUND: ["unreachable", "there is no host of this name."],
  EAI_AGAIN: ["unreachable", "its name could not be looked up."],
  ENOENT: ["unreachable", "there is no such socket."],
  EACCES: ["refused", "its socket may not be opened."],
  EHOSTUNREACH: ["unreachable", "there is no way to this host."],
  ENETUNREACH: ["unreachable", "there is no network."],
  ETIMEDOUT: ["unreachable", "it does not answer."],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    "refused",
    "its certificate is self-signed. Name it with sslrootcert=FILE in the address.",
  ],
  SELF_SIGNED_CERT_IN_CHAIN: [
    "refused",
    "its certificate is of an unknown authority. Name that with sslrootcert=FILE.",
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    "refused",
    "its certificate is of an unknown authority. Name that with sslrootcert=FILE.",
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ["refused", "its certificate is for another host."],
  CERT_HAS_EXPIRED: ["refused", "its certificate has expired."],
};

/** `where` names the database without the password; `secrets` never appear in the message. */
export function explainError(error: unknown, where: string, secrets: readonly string[]): SharedError {
  if (error instanceof SharedError) return error;
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const [kind, reason] = explanations[code] ?? ["unreachable", `${describeError(error)}.`];
  let message = `${where} cannot be used: ${reason}`;
  for (const secret of secrets) if (secret !== "") message = message.replaceAll(secret, "***");
  return new SharedError(kind, message, { cause: error });
}

function describeError(error: unknown): string {
  const said = messageOf(error).split("\n", 1)[0] ?? "";
  if (said === "The server does not support SSL connections") return "it does not speak TLS, which is required";
  if (/timeout|timed out/i.test(said)) return "it does not answer";
  if (/Connection terminated/i.test(said)) return "the connection was interrupted";
  return said.replace(/\.$/, "");
}
