// The host that runs on a data folder, if one does. The note it left may be stale and its port somebody else's, so it is asked first,
// and gets the token only when it answers like a Signalbox whose process lives.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defaultDataFolder, readRunningHost } from "../data/data-folder.ts";
import { HostClient } from "./host-client.ts";

const patienceMilliseconds = 2000;

export async function connectToHost(dataFolder: string | undefined): Promise<HostClient | null> {
  const path = resolve(dataFolder ?? defaultDataFolder());
  const tokenFile = join(path, "token");
  if (!existsSync(tokenFile)) return null;
  const note = readRunningHost({ path, database: "", rules: "", token: "" });
  if (note === null || !isAlive(note.pid)) return null;
  const origin = reachable(note.url);
  if (origin === null || !(await isHealthy(origin))) return null;
  try {
    return await HostClient.connect(origin, readFileSync(tokenFile, "utf8").trim());
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

async function isHealthy(origin: URL): Promise<boolean> {
  try {
    const answer = await fetch(new URL("/health", origin), { signal: AbortSignal.timeout(patienceMilliseconds) });
    const health: unknown = await answer.json();
    return typeof health === "object" && health !== null && "status" in health && health.status === "ok";
  } catch {
    return false;
  }
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
