// Connects the register to the shared database, where one is configured. PostgreSQL's client is loaded only then, and the host does not wait for it.
import { rmSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { resolve, sep } from "node:path";
import type { Config } from "@signalbox/config";
import { messageOf } from "@signalbox/protocol";
import { openRegister, type Register } from "@signalbox/tinyvex";
import { redactField } from "@signalbox/tool-calls";
import { AllMachines, type OtherMachines } from "./all-machines.ts";
import { ThreadCopies } from "./copies.ts";
import type { LocalLog, Sharing } from "./database/index.ts";
import type { Followers } from "./followers.ts";
import { type RunRequest, runRequests } from "./remote-commands.ts";

/** The environment variables of the shared database. They are removed from the environment at the start, so that no process inherits them. */
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
  /** Runs requests of other machines from now on, if this machine accepts any. */
  takeRequests(run: RunRequest): void;
  /** Runs work that replaces a thread's log. The shared log is removed and shipped again. */
  replaceLog(threadId: string, work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** One read of the log takes at most so many events. */
const maxEvents = 1000;

/** Null when no shared database is configured. */
export function openSharing(input: SharingInput): OpenSharing | null {
  const { secrets, config, register, followers } = input;
  const url = secrets.url || config.url;
  if (url === undefined) return null;
  let open: (OtherMachines & { readonly sharing: Sharing }) | null = null;
  const machine = chooseMachineName(config);
  const findOthers = () => (open?.sharing.isConnected === true ? open : null);
  /** Why the connection could not even be set up. */
  let failure: string | null = null;
  const describeProblem = () => failure ?? open?.sharing.problem ?? null;
  const readControl = () => open?.sharing.control ?? "off";
  const findCopies = () => open?.copies ?? null;
  const machines = new AllMachines(machine, register, followers, findOthers, findCopies, () => ({
    problem: describeProblem(),
    control: readControl(),
  }));
  const onProblem = (line: string) => {
    input.onProblem(line);
    const progress = { type: "host.progress", task: "shared", subject: machine, message: line } as const;
    followers.sendProgress({ ...progress, finished: describeProblem() === null });
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
    takeRequests: (run) => {
      const taken = opened.then(() => open !== null && runRequests(open.commands, register, run));
      taken.catch((error: unknown) => onProblem(`shared: ${messageOf(error)}`));
    },
    replaceLog: async (threadId, work) => {
      await opened;
      if (open !== null) return await open.sharing.replaceLog(threadId, work);
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
  OtherMachines & { readonly sharing: Sharing }
> {
  const { Sharing } = await import("./database/index.ts");
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${cacheFile}${ending}`, { force: true });
  const sharing = new Sharing({
    url,
    machine: machines.machine,
    commands: { control: config.control, key: secrets.key },
    program: version,
    positionsFile,
    log: readLocalLog(register),
    filter: { isShared: makeThreadFilter(config), redact: config.redact ? redactField : undefined },
    remote: {
      onChanges: (changes) => machines.takeChanges(changes),
      onPresence: (names) => {
        machines.takePresence(names).catch(() => {}); // the next look at the database shows it
        const progress = { type: "host.progress", task: "shared", message: "", finished: true } as const;
        for (const subject of names) followers.sendProgress({ ...progress, subject });
      },
    },
    onProblem,
  });
  const copied = await openRegister({ path: cacheFile, isCopy: true });
  register.onChanges((changes) => sharing.noteChanges(changes));
  const { reader, commands } = sharing;
  return { sharing, reader, commands, copies: new ThreadCopies(copied, reader, followers) };
}

function readLocalLog(register: Register): LocalLog {
  return {
    listPositions: () => register.logPositions(),
    read: (threadId, seq, maxLength) =>
      register.readLog(threadId, seq, { max_events: maxEvents, max_length: maxLength }),
    readBlob: async (hash) => (await register.readBlob(hash)).bytes,
    readCompleted: (threadId, after, upTo) => register.readCompleted(threadId, after, upTo),
    getThread: (threadId) => register.getThread(threadId),
  };
}

/** Returns the configured name, or else the host name with characters replaced that a machine's name must not have. */
export function chooseMachineName({ machine }: Config["shared"]): string {
  return (
    machine ??
    (hostname()
      .replaceAll(/[^\w.-]/g, "-")
      .slice(0, 64) ||
      "machine")
  );
}

const dayMs = 24 * 60 * 60 * 1000;

/** Shares threads in the configured folders that are not older than the configured number of days. */
function makeThreadFilter({ folders, retention_days: days }: Config["shared"]) {
  const isInFolder = makeFolderFilter(folders);
  return ({ cwd, updated_at: at }: { readonly cwd: string; readonly updated_at: number }): boolean =>
    isInFolder(cwd) && (days === undefined || at >= Date.now() - days * dayMs);
}

/** Without folders every thread is shared. */
function makeFolderFilter(folders: readonly string[]): (cwd: string) => boolean {
  if (folders.length === 0) return () => true;
  const roots = folders.map((folder) => resolve(folder.replace(/^~(?=\/|$)/, homedir())));
  return (cwd) => {
    const path = resolve(cwd);
    return roots.some((root) => path === root || path.startsWith(root === sep ? sep : `${root}${sep}`));
  };
}
