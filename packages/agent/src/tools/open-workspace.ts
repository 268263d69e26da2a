// The workspace of a session: the place where tools meet the sandbox and the client.
import {
  type ClientFiles,
  type ClientTerminals,
  type CommandEnding,
  Jobs,
  terminalCommands,
} from "@signalbox/agent-kit";
import { type AccessMode, createPolicy, type Policy, runCommand } from "@signalbox/sandbox";
import { cacheVariables } from "./commands/cache-variables.ts";
import { sandboxCommands } from "./commands/sandbox-command.ts";
import { launchOptions } from "./commands/sandbox-options.ts";
import { startSandboxProgram } from "./commands/sandbox-program.ts";
import { machineEnforcement } from "./enforcement.ts";
import { SessionFiles } from "./files/session-files.ts";
import type { ProgramRun, Workspace } from "./workspace.ts";

export interface WorkspaceOptions {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** Signalbox's own folder: hidden from tools, except its `workspace/` and `skills/`. */
  readonly home: string;
  /** What commands and writes may touch. Asked anew for every call, because a session's mode changes. */
  readonly access: () => WorkspaceAccess;
  readonly clientFiles?: ClientFiles;
  /** Variables that hold keys of ours, from `api_key_env`: no command gets them. */
  readonly secretNames?: readonly string[];
  /** Given where the user chose to run commands in the client's terminal. */
  readonly clientTerminals?: ClientTerminals;
}

export interface WorkspaceAccess {
  /** `plan` is the agent's own mode: give `rx` for it. `off` only from the user's own config. */
  readonly mode: AccessMode | "off";
  /** Whether commands have the network without asking. */
  readonly network: boolean;
  /** Folders that may be written besides the session's own. */
  readonly writable: readonly string[];
}

export function openWorkspace(options: WorkspaceOptions): Workspace {
  const { cwd, access, clientFiles = {}, clientTerminals, secretNames = [] } = options;
  const roots = [cwd, ...options.additionalDirectories];
  const policy = policyFrom(options, roots);
  const enforcement = () => machineEnforcement(access().mode === "off");
  const sandbox = { enforcement, policy, env: cacheVariables(options.home), secretNames };
  const start = clientTerminals === undefined ? sandboxCommands(sandbox) : terminalCommands(clientTerminals);
  const jobs = new Jobs({ start, idPrefix: "job", stopTool: "bash_kill" });

  const runProgram = async ({ command, cwd: folder, signal, onOutput }: ProgramRun): Promise<CommandEnding> =>
    await runCommand({ ...(await launchOptions(sandbox, false)), command, cwd: folder, signal, onOutput });

  return {
    cwd,
    roots,
    files: new SessionFiles({ cwd, roots, policy: () => policy(false), client: clientFiles }),
    start,
    jobs,
    runProgram,
    sandboxed: clientTerminals === undefined,
    get network() {
      return access().network;
    },
    spawn: (request) => startSandboxProgram(request, sandbox),
    close: () => jobs.close(),
  };
}

/** Making a policy looks at the disk; it is made again only when the access changes. */
function policyFrom({ access, home }: WorkspaceOptions, roots: readonly string[]): (network: boolean) => Policy {
  const made = new Map<string, Policy>();
  return (network) => {
    const { mode, writable } = access();
    const key = JSON.stringify([mode, network, writable]);
    const policy =
      made.get(key) ??
      createPolicy({
        mode: mode === "off" ? "rwx" : mode,
        network: network ? "on" : "off",
        workspaceFolders: roots,
        dataFolder: home,
        writable,
      });
    made.set(key, policy);
    return policy;
  };
}
