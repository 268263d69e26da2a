// Removes what the networks of threads left in the data folder when an earlier host was killed: sockets that lead nowhere, and certificates.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { loopbackPrefix, trustFolder } from "@signalbox/sandbox";

export const proxyPrefix = "proxy-";

/** Only one host uses a data folder: call it before the first thread of this one starts. */
export function removeNetworkLeftovers(dataFolder: string): void {
  const run = join(dataFolder, "run");
  const sockets = readdirSync(run).filter((name) =>
    [proxyPrefix, loopbackPrefix].some((prefix) => name.startsWith(prefix)),
  );
  for (const path of [...sockets.map((name) => join(run, name)), join(dataFolder, trustFolder)])
    rmSync(path, { recursive: true, force: true });
}
