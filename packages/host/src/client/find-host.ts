// The host that runs on a data folder, if one does. The note it left may be stale and its port somebody else's, so it is asked first,
// and gets the token only when it answers like a Signalbox whose process lives.
import { existsSync, readFileSync } from "node:fs";
import { get as getOpenly, type IncomingMessage } from "node:http";
import { get as getSecurely } from "node:https";
import { join, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { defaultDataFolder, readRunningHost } from "../data/data-folder.ts";
import { HostClient, trusting } from "./host-client.ts";

const patienceMilliseconds = 2000;

export async function connectToHost(dataFolder: string | undefined): Promise<HostClient | null> {
  const path = resolve(dataFolder ?? defaultDataFolder());
  const tokenFile = join(path, "token");
  if (!existsSync(tokenFile)) return null;
  const note = readRunningHost({ path, database: "", rules: "", token: "" });
  if (note === null || !isAlive(note.pid)) return null;
  const origin = reachable(note.url);
  if (origin === null || !(await isHealthy(origin, note.certificate))) return null;
  try {
    return await HostClient.connect(origin, readFileSync(tokenFile, "utf8").trim(), note.certificate);
  } catch {
    return null;
  }
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
    const health: unknown = JSON.parse(await readAll(await ask(new URL("/health", origin), certificate)));
    return typeof health === "object" && health !== null && "status" in health && health.status === "ok";
  } catch {
    return false;
  }
}

function ask(url: URL, certificate: string | undefined): Promise<IncomingMessage> {
  const signal = AbortSignal.timeout(patienceMilliseconds);
  return new Promise((answered, reject) => {
    const asked =
      url.protocol === "https:"
        ? getSecurely(url, { ...trusting(certificate), signal }, answered)
        : getOpenly(url, { signal }, answered);
    asked.on("error", reject);
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, but is another user's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
