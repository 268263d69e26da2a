// Starts a host in the background for a command that needs one, and waits until it can be reached. Commands that run at the same time share it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { OwnProgram } from "@signalbox/host";
import { type DataFolder, defaultDataFolder, openDataFolder } from "@signalbox/host/data";
import { HostError } from "@signalbox/protocol";
import { exitCodes, type Program } from "../command.ts";
import { describeProgram } from "../describe-program.ts";
import { type FoundHost, findHost } from "./find-host.ts";

export interface HostStart {
  readonly own: OwnProgram;
  readonly shared: Program["shared"];
  /** How many seconds the host outlives its last use; 0: it ends with its last client, whatever runs. */
  readonly staysUnusedFor: number;
}

interface ReachedHost extends FoundHost {
  /** Only of a host that was started by this call. */
  readonly started?: StartedHost;
}

interface StartedHost {
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** Problems that did not stop it from starting, for the terminal. */
  readonly problems: string;
}

/** A host for editors stays a minute after its last use: an editor often closes and opens its agent again. */
export const backgroundSeconds = 60;

export function describeHostStart(program: Program, staysUnusedFor: number): HostStart {
  return { own: describeProgram(program), shared: program.shared, staysUnusedFor };
}

const startTimeoutMs = 30_000;
const lookEveryMs = 50;
/** While another process has the register: it may be a host that is about to listen, or one that is about to end. */
const tryAgainMs = 250;

/** Gives the running host, or starts one. Throws with the host's own words when it does not start. */
export async function findOrStartHost(dataFolder: string | undefined, start: HostStart): Promise<ReachedHost> {
  const running = await findHost(dataFolder);
  if (running !== null) return running;
  const folder = openDataFolder(resolve(dataFolder ?? defaultDataFolder()));
  const log = join(folder.logs, "host.log");
  let child = startProcess(folder, log, start);
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline; ) {
    await Promise.race([child.ended, pause(lookEveryMs)]);
    // Of two that start together, one gets the register: it serves both.
    const found = await findHost(folder.path);
    if (found !== null) {
      const { ended } = child;
      const isOurs = found.pid === child.process.pid;
      return isOurs ? { ...found, started: { ended, problems: readFileSync(log, "utf8") } } : found;
    }
    if (child.process.exitCode === null && child.process.signalCode === null) continue;
    if (child.process.exitCode !== exitCodes.inUse) break;
    await pause(tryAgainMs);
    child = startProcess(folder, log, start);
  }
  const reason = readFileSync(log, "utf8").trim();
  throw new HostError("unavailable", `Signalbox could not be started.${reason === "" ? "" : ` ${reason}`}`);
}

function startProcess(folder: DataFolder, log: string, { own, shared, staysUnusedFor }: HostStart) {
  const errors = openSync(log, "w", 0o600);
  const args = [...own.args, "serve", "--no-open", "--port", "0", "--data-dir", folder.path];
  const env: NodeJS.ProcessEnv = { SIGNALBOX_STOP_WHEN_UNUSED_S: String(staysUnusedFor), ...process.env };
  if (shared.url !== undefined) env.SIGNALBOX_SHARED_URL = shared.url;
  if (shared.key !== undefined) env.SIGNALBOX_SHARED_KEY = shared.key;
  const child = spawn(own.command, args, { detached: true, stdio: ["ignore", "ignore", errors], env });
  closeSync(errors);
  child.unref();
  return { process: child, ended: whenEnded(child) };
}

async function whenEnded(child: ChildProcess): Promise<void> {
  await once(child, "exit").catch(() => {});
}
