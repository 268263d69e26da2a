// Opens the workspace of a session: connects the tools with the sandbox and the client.
import {
  type ClientFiles,
  type ClientTerminals,
  type CommandEnding,
  Jobs,
  KeptOutputs,
  machineEnforcement,
  type StartCommand,
  startSandboxProgram,
  terminalCommands,
} from "@signalbox/agent-kit";
import { type AccessMode, cacheVariables, createPolicy, isWhole, type Policy, runCommand } from "@signalbox/sandbox";
import type { TerminalSandbox } from "@signalbox/tool-calls";
import { sandboxCommands } from "./commands/sandbox-command.ts";
import {
  type FindClosedPaths,
  launchOptions,
  programOptions,
  type SandboxOptions,
} from "./commands/sandbox-options.ts";
import { isSameSandbox, terminalOrSandbox } from "./commands/terminal-or-sandbox.ts";
import { type OpenRefusal, SessionFiles } from "./files/session-files.ts";
import type { ProgramRun, Workspace } from "./workspace.ts";
import { WorkspaceLoopback } from "./workspace-loopback.ts";

export interface WorkspaceOptions {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** Signalbox's own folder: hidden from tools, except its `workspace/` and `skills/`. */
  readonly home: string;
  /** Returns the paths that commands and writes may touch. Called for every tool call, because a session's mode changes. */
  readonly access: () => WorkspaceAccess;
  readonly clientFiles?: ClientFiles;
  /** Variables that hold keys: no command gets them. */
  readonly secretNames?: readonly string[];
  readonly terminals?: WorkspaceTerminals;
  readonly refusal?: OpenRefusal;
  /** The paths that rules and refusals of the turn close to commands. */
  readonly closedPaths?: FindClosedPaths;
}

/** Terminals of the client. Without `sandbox` all commands run in them, which only the user's own config can choose. */
export interface WorkspaceTerminals {
  readonly client: ClientTerminals;
  /** The sandbox that the client promises for them: commands that want the same run there, others in our own. */
  readonly sandbox?: TerminalSandbox;
}

export interface WorkspaceAccess {
  /** `plan` is the agent's own mode: give `rx` for it. `off` only from the user's own config. */
  readonly mode: AccessMode | "off";
  /** Whether commands have the network without asking. */
  readonly network: boolean;
  /** Paths of the home folder that may be read; of the rest only toolchains show. */
  readonly readable?: readonly string[];
  /** Folders that may be written besides the session's own. */
  readonly writable: readonly string[];
}

export function openWorkspace(options: WorkspaceOptions): Workspace {
  const { cwd, access, clientFiles = {}, terminals, secretNames = [], refusal = () => null } = options;
  const { closedPaths = async () => [] } = options;
  const roots = [cwd, ...options.additionalDirectories];
  const policy = createPolicies(options, roots);
  const enforcement = () => machineEnforcement(access().mode === "off");
  const loopback = new WorkspaceLoopback(options.home, terminals?.sandbox?.loopback);
  const sandbox: SandboxOptions = {
    enforcement,
    policy,
    closedPaths,
    env: cacheVariables(options.home),
    secretNames,
    loopback: async () => await loopback.open(await enforcement()),
    byName: terminals?.sandbox?.by_name,
  };
  const start = startCommands(terminals, sandbox, (network) => {
    const promised = terminals?.sandbox;
    return promised !== undefined && roots.length === 1 && isSameSandbox(promised, access().mode, network);
  });
  const outputs = new KeptOutputs(options.home, () => policy(false));
  const jobs = new Jobs({ start, idPrefix: "job", stopTool: "bash_kill" });

  const runProgram = async ({ onlyLooks = false, ...run }: ProgramRun): Promise<CommandEnding> => {
    const launch = await launchOptions(sandbox, false);
    return await runCommand({ ...launch, policy: onlyLooks ? toReadOnly(launch.policy) : launch.policy, ...run });
  };

  return {
    cwd,
    roots,
    files: new SessionFiles({ cwd, roots, policy: () => policy(false), client: clientFiles, refusal }),
    jobs,
    runProgram,
    listHiddenPaths: async () =>
      (await closedPaths()).filter((closed) => closed.access === "hidden").map(({ path }) => path),
    sandboxed: terminals === undefined || terminals.sandbox !== undefined,
    get network() {
      return access().network;
    },
    areCommandsSandboxed: async () => {
      const { mode, network } = access();
      const isRunSandboxed = terminals === undefined || terminals.sandbox !== undefined;
      return isRunSandboxed && !network && (mode === "sandbox" || mode === "rx") && isWhole(await enforcement());
    },
    spawn: async (request) => startSandboxProgram(request, await programOptions(sandbox, request.network)),
    keepOutput: (text) => outputs.keep(text),
    close: async () => {
      await Promise.all([jobs.close(), outputs.close()]);
      await loopback.close();
    },
  };
}

/** A program that only looks makes no settings, so what the person makes meanwhile is not taken for its work. */
function toReadOnly(policy: Policy): Policy {
  const rules = policy.rules.map((rule) => (rule.name === "workspace" ? { ...rule, access: "read" as const } : rule));
  return { ...policy, rules };
}

function startCommands(
  terminals: WorkspaceTerminals | undefined,
  sandbox: SandboxOptions,
  fits: (network: boolean) => boolean,
): StartCommand {
  if (terminals === undefined) return sandboxCommands(sandbox);
  if (terminals.sandbox === undefined) return terminalCommands(terminals.client);
  const { client, sandbox: promised } = terminals;
  return terminalOrSandbox({ terminals: client, fits, escalates: promised.escalates === true }, sandbox);
}

/** Making a policy reads the disk, so it is made again only when the access changes. */
function createPolicies({ access, home }: WorkspaceOptions, roots: readonly string[]): (network: boolean) => Policy {
  const made = new Map<string, Policy>();
  return (network) => {
    const { mode, readable = [], writable } = access();
    const key = JSON.stringify([mode, network, readable, writable]);
    const policy =
      made.get(key) ??
      createPolicy({
        mode: mode === "off" ? "rwx" : mode,
        network: network ? "on" : "off",
        workspaceFolders: roots,
        dataFolder: home,
        readable,
        writable,
      });
    made.set(key, policy);
    return policy;
  };
}
