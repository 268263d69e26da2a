// Connects the register to the shared database, where one is configured. PostgreSQL's client is loaded only then, and the host does not wait for it.

import { rmSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { resolve, sep } from "node:path";
import type { Config } from "@signalbox/config";
import { messageOf } from "@signalbox/protocol";
import { openRegister, type Register } from "@signalbox/tinyvex";
import { redactField } from "@signalbox/tool-calls";
import { AllMachines, type Others } from "./all-machines.ts";
import { Copies } from "./copies.ts";
import type { LocalLog, Sharing } from "./database/index.ts";
import type { Followers } from "./followers.ts";
import { type RunRequest, runRequests } from "./remote-commands.ts";

/** What the environment says of the shared database. It is taken out of the environment first, so that no process inherits it. */
export interface SharedSecrets {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}

interface SharingInput {
  readonly secrets: SharedSecrets;
  readonly config: Config["shared"];
  /** Remembers how much of the register has reached the shared database. */
  readonly positionsFile: string;
  /** Where threads of other machines are copied to. It is empty at every start. */
  readonly cacheFile: string;
  readonly register: Register;
  readonly followers: Followers;
  readonly version: string;
  readonly onProblem: (line: string) => void;
}

interface OpenSharing {
  readonly machines: AllMachines;
  /** From now on requests of other machines are run, if this machine takes any. */
  takeRequests(run: RunRequest): void;
  /** Does work that replaces a thread's log: what was shared of it before is removed. */
  whileReplaced(threadId: string, work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** One read of the log takes at most so many events. */
const maxEvents = 1000;

/** Null when no shared database is configured. */
export function openSharing(input: SharingInput): OpenSharing | null {
  const { secrets, config, register, followers } = input;
  const url = secrets.url || config.url;
  if (url === undefined) return null;
  let open: (Others & { readonly sharing: Sharing }) | null = null;
  const machine = machineName(config);
  const others = () => (open?.sharing.isConnected === true ? open : null);
  /** Why it could not even begin. */
  let failure: string | null = null;
  const problem = () => failure ?? open?.sharing.problem ?? null;
  const control = () => open?.sharing.control ?? "off";
  const machines = new AllMachines(machine, register, followers, others, () => ({
    problem: problem(),
    control: control(),
  }));
  const onProblem = (line: string) => {
    input.onProblem(line);
    const progress = { type: "host.progress", task: "shared", subject: machine, message: line } as const;
    followers.sendProgress({ ...progress, finished: problem() === null });
  };
  const opened = connect({ ...input, url, machines, onProblem }).then(
    (connected) => (open = connected),
    (error: unknown) => {
      failure = messageOf(error);
      onProblem(`shared: ${failure}`);
    },
  );
  return {
    machines,
    takeRequests: (run) => void opened.then(() => open !== null && runRequests(open.commands, register, run)),
    whileReplaced: async (threadId, work) => {
      await opened;
      if (open !== null) return await open.sharing.whileReplaced(threadId, work);
      const { markOutdated } = await import("./database/index.ts");
      markOutdated(input.positionsFile, [threadId]);
      await work();
    },
    stop: async () => {
      await opened;
      await open?.sharing.stop();
      await open?.copies.register.close();
    },
  };
}

async function connect({
  url,
  machines,
  secrets,
  config,
  positionsFile,
  cacheFile,
  register,
  followers,
  version,
  onProblem,
}: SharingInput & { readonly url: string; readonly machines: AllMachines }): Promise<
  Others & { readonly sharing: Sharing }
> {
  const { Sharing } = await import("./database/index.ts");
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${cacheFile}${ending}`, { force: true });
  const sharing = new Sharing({
    url,
    machine: machines.machine,
    control: config.control,
    key: secrets.key,
    program: version,
    positionsFile,
    log: localLog(register),
    isShared: threadFilter(config),
    redact: config.redact ? redactField : undefined,
    remote: {
      onChanges: (changes) => machines.takeChanges(changes),
      onPresence: (names) => {
        void machines.takePresence(names);
        const progress = { type: "host.progress", task: "shared", message: "", finished: true } as const;
        for (const subject of names) followers.sendProgress({ ...progress, subject });
      },
    },
    onProblem,
  });
  const copied = await openRegister({ path: cacheFile, isCopy: true });
  register.onChanges((changes) => sharing.noteChanges(changes));
  const { reader, commands } = sharing;
  return { sharing, reader, commands, copies: new Copies(copied, reader, followers) };
}

function localLog(register: Register): LocalLog {
  return {
    positions: () => register.logPositions(),
    read: (threadId, seq, maxLength) =>
      register.readLog(threadId, seq, { max_events: maxEvents, max_length: maxLength }),
    readBlob: async (hash) => (await register.readBlob(hash)).bytes,
    completed: (threadId, after, upTo) => register.readCompleted(threadId, after, upTo),
    thread: (threadId) => register.getThread(threadId),
  };
}

/** The configured name, else the host name, as far as a name of a machine may have its characters. */
export function machineName({ machine }: Config["shared"]): string {
  return (
    machine ??
    (hostname()
      .replaceAll(/[^\w.-]/g, "-")
      .slice(0, 64) ||
      "machine")
  );
}

const dayMs = 24 * 60 * 60 * 1000;

/** Whether a thread is shared: it is in a chosen folder, and not older than what is kept there. */
function threadFilter({ folders, retention_days: days }: Config["shared"]) {
  const isInFolder = folderFilter(folders);
  return ({ cwd, updated_at: at }: { readonly cwd: string; readonly updated_at: number }): boolean =>
    isInFolder(cwd) && (days === undefined || at >= Date.now() - days * dayMs);
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
