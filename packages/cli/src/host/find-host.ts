// Finds the host that runs with a data folder. Sends the token only after /health answered: the recorded address may be stale, and the
// port may belong to another program.
import { existsSync, readFileSync } from "node:fs";
import { get as getHttp, type IncomingMessage } from "node:http";
import { get as getHttps } from "node:https";
import { join, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { HostConnection } from "@signalbox/client";
import { defaultDataFolder, readRunningHost } from "@signalbox/host/data";
import { WebSocket } from "ws";
import { trustCertificate } from "./trust-certificate.ts";

const timeoutMs = 2000;

/** Where a running host is, and what it takes to connect. */
export interface FoundHost {
  readonly pid: number;
  readonly origin: URL;
  readonly token: string;
  readonly certificate: string | undefined;
}

/** Connects a command to the running host. Null when no host runs with this data folder, or it refuses the token. */
export async function connectToHost(dataFolder: string | undefined): Promise<HostConnection | null> {
  const found = await findHost(dataFolder);
  return found === null ? null : await openConnection(found);
}

/** Null when the host has ended in the meantime, or refuses the token. */
export async function openConnection(found: FoundHost): Promise<HostConnection | null> {
  const connection = new HostConnection({
    address: found.origin.origin,
    token: found.token,
    reconnects: false,
    openSocket: (url, protocols) => new WebSocket(url, protocols, trustCertificate(found.certificate)),
  });
  await Promise.race([connection.whenOpen(), connection.whenLost()]);
  return connection.status === "open" ? connection : null;
}

/** Null when no host runs with this data folder. */
export async function findHost(dataFolder: string | undefined): Promise<FoundHost | null> {
  const path = resolve(dataFolder ?? defaultDataFolder());
  const tokenFile = join(path, "token");
  if (!existsSync(tokenFile)) return null;
  const recorded = readRunningHost({ path, database: "", logs: "", rules: "", token: "" });
  if (recorded === null || !isAlive(recorded.pid)) return null;
  const origin = reachable(recorded.url);
  if (origin === null || !(await isHealthy(origin, recorded.certificate))) return null;
  return {
    pid: recorded.pid,
    origin,
    token: readFileSync(tokenFile, "utf8").trim(),
    certificate: recorded.certificate,
  };
}

/** A host that listens on every address is reached on the loopback one. */
function reachable(url: string): URL | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(url);
  const name = hostname === "0.0.0.0" ? "127.0.0.1" : hostname === "[::]" ? "[::1]" : hostname;
  return new URL(`${protocol}//${name}:${port}`);
}

async function isHealthy(origin: URL, certificate: string | undefined): Promise<boolean> {
  try {
    const health: unknown = JSON.parse(await readAll(await request(new URL("/health", origin), certificate)));
    return typeof health === "object" && health !== null && "status" in health && health.status === "ok";
  } catch {
    return false;
  }
}

function request(url: URL, certificate: string | undefined): Promise<IncomingMessage> {
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((answered, reject) => {
    const sent =
      url.protocol === "https:"
        ? getHttps(url, { ...trustCertificate(certificate), signal }, answered)
        : getHttp(url, { signal }, answered);
    sent.on("error", reject);
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
