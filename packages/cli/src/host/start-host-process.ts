// Starts a host in the background for a command that needs one, and waits until it can be reached. It stops when it was not used for a while.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { OwnProgram } from "@signalbox/host";
import { defaultDataFolder, openDataFolder } from "@signalbox/host/data";
import { HostError } from "@signalbox/protocol";
import { type FoundHost, findHost } from "./find-host.ts";

const startTimeoutMs = 30_000;
const lookEveryMs = 50;
/** Seconds. */
const stopWhenUnused = "60";

/** Gives the running host, or starts one. Throws with the host's own words when it does not start. */
export async function findOrStartHost(dataFolder: string | undefined, own: OwnProgram): Promise<FoundHost> {
  const running = await findHost(dataFolder);
  if (running !== null) return running;
  const folder = openDataFolder(resolve(dataFolder ?? defaultDataFolder()));
  const log = join(folder.logs, "host.log");
  const errors = openSync(log, "w", 0o600);
  const args = [...own.args, "serve", "--no-open", "--port", "0", "--data-dir", folder.path];
  const env = { SIGNALBOX_STOP_WHEN_UNUSED_S: stopWhenUnused, ...process.env };
  const child = spawn(own.command, args, { detached: true, stdio: ["ignore", "ignore", errors], env });
  closeSync(errors);
  const ended = once(child, "exit").then(
    () => true,
    () => true,
  );
  child.unref();
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline; ) {
    const isOver = await Promise.race([ended, pause(lookEveryMs, false)]);
    // Of two that start together, one gets the register: it serves both.
    const found = await findHost(folder.path);
    if (found !== null) return found;
    if (isOver) break;
  }
  const reason = readFileSync(log, "utf8").trim();
  throw new HostError("unavailable", `Signalbox could not be started.${reason === "" ? "" : ` ${reason}`}`);
}
