// Prepares the start of a command or program: checks sandbox and folder, makes its environment and its limits.
import { existsSync, statSync } from "node:fs";
import { canSandboxAgents, type Enforcement } from "../enforcement/enforcement.ts";
import { commandEnvironment } from "../environment/command-environment.ts";
import { unattendedVariables } from "../environment/unattended-variables.ts";
import { type OpenSettings, openSettings, restoreSettings } from "../git-settings/open-settings.ts";
import { planLaunch } from "../launch/launch.ts";
import type { Launch, LaunchRequest } from "../launch/launch-request.ts";
import { type MadeSettings, watchMadeSettings } from "../made-settings/made-settings.ts";
import { canRead } from "../policy/can-access.ts";
import type { Policy } from "../policy/policy.ts";
import type { RefusedCommand } from "./command-result.ts";
import { defaultLimits, type Limits } from "./limits.ts";

export interface LaunchOptions {
  readonly enforcement: Enforcement;
  readonly policy: Policy;
  /** A line for the shell, or a program and its arguments. */
  readonly command: string | readonly [string, ...string[]];
  readonly cwd: string;
  /** Added to this process's own environment, from which keys and tokens are taken out. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of further variables that hold keys. */
  readonly secretNames?: readonly string[];
  readonly limits?: Partial<Limits>;
  /** The loopback that it shares with the other commands of its session. Without one it has its own. */
  readonly loopback?: LaunchRequest["loopback"];
}

interface PreparedLaunch {
  readonly launch: Launch;
  readonly limits: Limits;
  /** Of git, that it may change. To be closed when the command has ended. */
  readonly settings: OpenSettings;
  /** That programs outside would obey. To be closed likewise. */
  readonly made: MadeSettings;
}

export function prepareLaunch(
  options: LaunchOptions,
  streams: LaunchRequest["streams"],
): PreparedLaunch | RefusedCommand {
  const { enforcement, policy, cwd } = options;
  if (enforcement.kind === "unavailable") return withoutSandbox(enforcement);
  const problem = folderProblem(policy, cwd);
  if (problem !== undefined) return refuse("folder_not_usable", problem);
  const limits = { ...defaultLimits(), ...options.limits };
  const env = commandEnvironment({
    inherited: process.env,
    added: { ...unattendedVariables(policy.network), ...options.env },
    isOutside: enforcement.kind === "off",
    ...(options.secretNames && { secretNames: options.secretNames }),
  });
  restoreSettings(policy);
  // Only where a mount can put the copy in the place of the settings.
  const settings = canSandboxAgents(enforcement) ? openSettings(policy) : noSettings;
  const { links } = settings;
  const { loopback } = options;
  return {
    launch: planLaunch(enforcement, {
      policy,
      command: words(options.command),
      cwd,
      env,
      limits,
      streams,
      links,
      loopback,
    }),
    limits,
    settings,
    made: enforcement.kind === "off" ? nothingMade : watchMadeSettings(policy),
  };
}

/** A person let it run outside. */
const nothingMade: MadeSettings = { settle: () => [], close: () => [] };

const noSettings: OpenSettings = {
  links: [],
  settle: async () => [],
  hasDoubts: () => false,
  close: async () => [],
};

/** Why no command would be started there; undefined where nothing is known against it. */
export function findRefusal({
  enforcement,
  policy,
  cwd,
}: Pick<LaunchOptions, "enforcement" | "policy" | "cwd">): RefusedCommand | undefined {
  if (enforcement.kind === "unavailable") return withoutSandbox(enforcement);
  const problem = folderProblem(policy, cwd);
  return problem === undefined ? undefined : refuse("folder_not_usable", problem);
}

function withoutSandbox({ reason, remedy }: Extract<Enforcement, { kind: "unavailable" }>): RefusedCommand {
  return refuse("sandbox_unavailable", `commands are refused because ${reason} ${remedy}`);
}

export function refuse(code: RefusedCommand["code"], message: string): RefusedCommand {
  return { ended: "refused", code, message };
}

function folderProblem(policy: Policy, cwd: string): string | undefined {
  const decision = canRead(policy, cwd);
  // A home folder that is a workspace is there inside, with the entries that are open.
  const isOpenHome =
    decision.rule === "home" && policy.rules.some(({ name, path }) => name === "workspace" && path === decision.path);
  if (!decision.allowed && !isOpenHome) return decision.message;
  const advice = "choose another one to run the command in";
  try {
    return statSync(cwd).isDirectory() ? undefined : `${cwd} is not a folder; ${advice}`;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return `the folder ${cwd} ${missing ? "does not exist" : "cannot be looked into"}; ${advice}`;
  }
}

function words(command: LaunchOptions["command"]): readonly [string, ...string[]] {
  if (typeof command !== "string") return command;
  return [existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh", "-c", command];
}
