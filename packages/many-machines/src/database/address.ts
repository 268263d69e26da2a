// Reads the address of the shared database and refuses an unsafe connection: it must be TLS with a verified certificate, unless it stays on
// this machine.
import { isIP } from "node:net";
import { parse } from "pg-connection-string";
import { SharedError } from "./shared-error.ts";

export interface SharedAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  /** False only on this machine. */
  readonly tls:
    | false
    | { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly rejectUnauthorized: true };
  /** For messages: the address without the user's secrets. */
  readonly shown: string;
  /** Texts that must not appear in a message. */
  readonly secrets: readonly string[];
}

/** These modes encrypt without verifying the server's name, or not at all. */
const unsafeModes = new Set(["disable", "allow", "prefer", "no-verify"]);

/** Throws a SharedError that does not repeat the address. */
export function parseAddress(url: string): SharedAddress {
  const mode = /[?&]sslmode=([\w-]+)/.exec(url)?.[1];
  let parsed: ReturnType<typeof parse>;
  try {
    // The other modes are decided below; the parser would warn about them on stderr.
    parsed = parse(url.replace(/([?&])sslmode=[\w-]*&?/, "$1"));
  } catch {
    throw new SharedError("refused", "shared.url is not an address such as postgres://USER:PASSWORD@HOST/DATABASE.");
  }
  const { host, port, user, password, database } = parsed;
  if (!/^(?:postgres(?:ql)?|socket):/.test(url) || !host || !database || !user)
    throw new SharedError(
      "refused",
      "shared.url needs a user, a host and a database: postgres://USER:PASSWORD@HOST/DATABASE.",
    );
  const isHere = isOnThisMachine(host);
  if (!isHere && mode !== undefined && unsafeModes.has(mode)) {
    const reason = `sslmode=${mode} does not protect what is sent to ${host}`;
    throw new SharedError(
      "refused",
      `shared.url: ${reason}. Leave sslmode out, and name an own authority with sslrootcert=FILE.`,
    );
  }
  const given = typeof parsed.ssl === "object" ? parsed.ssl : {};
  const wantsTls = !isHere || (mode !== undefined && !unsafeModes.has(mode));
  const { ca, cert, key } = given as { ca?: string; cert?: string; key?: string };
  const files = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  const shownPort = port || "5432";
  return {
    host,
    port: Number(shownPort),
    user,
    password: password || undefined,
    database,
    tls: wantsTls ? { ...files, rejectUnauthorized: true } : false,
    shown: host.startsWith("/") ? `${host}/${database}` : `${host}:${shownPort}/${database}`,
    secrets: [url, password ?? "", encodeURIComponent(password ?? "")].filter((secret) => secret !== ""),
  };
}

function isOnThisMachine(host: string): boolean {
  if (host.startsWith("/") || host === "localhost") return true;
  return isIP(host) === 4 ? host.startsWith("127.") : host === "::1" || host === "[::1]";
}
