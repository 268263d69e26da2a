// Connects the register to the shared database, where one is configured. PostgreSQL's client is loaded only then, and the host does not wait for it.
import { homedir, hostname } from "node:os";
import { resolve, sep } from "node:path";
import type { Config } from "@signalbox/config";
import type { LocalLog, Sharing } from "@signalbox/postgres";
import { messageOf } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { redactText } from "@signalbox/tool-calls";
import type { DataFolder } from "../data/data-folder.ts";

/** What the environment says of the shared database. It is taken out of the environment first, so that no process inherits it. */
export interface SharedSecrets {
  readonly url?: string | undefined;
}

interface SharingInput {
  readonly secrets: SharedSecrets;
  readonly config: Config["shared"];
  readonly folder: DataFolder;
  readonly register: Register;
  readonly version: string;
  readonly onProblem: (line: string) => void;
}

interface OpenSharing {
  stop(): Promise<void>;
}

/** One read of the log takes at most so many events. */
const maxEvents = 1000;

/** Null when no shared database is configured. */
export function openSharing({
  secrets,
  config,
  folder,
  register,
  version,
  onProblem,
}: SharingInput): OpenSharing | null {
  const url = secrets.url || config.url;
  if (url === undefined) return null;
  const opened = import("@signalbox/postgres").then(({ Sharing }) => {
    const sharing = new Sharing({
      url,
      machine: config.machine ?? defaultMachine(),
      control: config.control,
      program: version,
      positionsFile: resolve(folder.path, "shared.db"),
      log: localLog(register),
      isShared: folderFilter(config.folders),
      redact: config.redact ? redactText : undefined,
      onProblem,
    });
    register.onChanges((changes) => sharing.noteChanges(changes));
    return sharing;
  });
  const sharing = opened.catch((error: unknown): Sharing | null => {
    onProblem(`shared: ${messageOf(error)}`);
    return null;
  });
  return { stop: async () => await (await sharing)?.stop() };
}

function localLog(register: Register): LocalLog {
  return {
    positions: () => register.logPositions(),
    read: (threadId, seq, maxLength) =>
      register.readLog(threadId, seq, { max_events: maxEvents, max_length: maxLength }),
    readBlob: async (hash) => (await register.readBlob(hash)).bytes,
    thread: (threadId) => register.getThread(threadId),
  };
}

/** The name of this machine, as far as a name of a machine may have its characters. */
function defaultMachine(): string {
  return (
    hostname()
      .replaceAll(/[^\w.-]/g, "-")
      .slice(0, 64) || "machine"
  );
}

/** Without folders every thread is shared. */
function folderFilter(folders: readonly string[]): (cwd: string) => boolean {
  if (folders.length === 0) return () => true;
  const roots = folders.map((folder) => resolve(folder.replace(/^~(?=\/|$)/, homedir())));
  return (cwd) => {
    const path = resolve(cwd);
    return roots.some((root) => path === root || path.startsWith(root === sep ? sep : `${root}${sep}`));
  };
}
