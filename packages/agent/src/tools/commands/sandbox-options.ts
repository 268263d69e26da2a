// Defines the options with which every command and program in the sandbox is started.
import { type CacheUse, type ClosedPath, type Enforcement, type Policy, withClosedPaths } from "@signalbox/sandbox";
import type { TerminalSandbox } from "@signalbox/tool-calls";

/** Which paths are closed to this command, or to any program where there is no line. */
export type FindClosedPaths = (command?: CommandLine) => Promise<readonly ClosedPath[]>;

export interface CommandLine {
  readonly command: string;
  readonly commandFolder: string;
}

export interface SandboxOptions {
  readonly enforcement: () => Promise<Enforcement>;
  /** The policy of the moment, with or without the network. */
  readonly policy: (network: boolean) => Policy;
  /** The paths that rules and refusals close to a command; to a program of ours without a line. */
  readonly closedPaths: FindClosedPaths;
  /** Added to the filtered environment. */
  readonly env: (use: CacheUse) => Readonly<Record<string, string>>;
  /** Variables that hold keys and do not look like it. */
  readonly secretNames: readonly string[];
  /** The socket of the loopback that all of them share; undefined where each has its own. */
  readonly loopback: () => Promise<string | undefined>;
  /** The network by name of that loopback, where it has one. */
  readonly byName?: TerminalSandbox["by_name"];
}

/** The part that is the same for `runCommand` and `startProgram`. */
export async function launchOptions(
  { enforcement, policy, closedPaths, env, secretNames, loopback }: SandboxOptions,
  network: boolean,
  line?: CommandLine,
) {
  const closed = await closedPaths(line);
  const rights = { enforcement: await enforcement(), policy: withClosedPaths(policy(network), closed) };
  return { ...rights, env: env(rights), secretNames, loopback: await loopback() };
}

/** Returns the policy on a loopback whose network goes by name. The loopback has the proxy, so its places need not be known here. */
export function policyByName(policy: Policy, byName: SandboxOptions["byName"]): Policy {
  return byName === undefined ? policy : { ...policy, network: { socket: "", places: [], hosts: byName.hosts } };
}

/** For an MCP server: where the network of its session goes by name, its own does so too. */
export async function programOptions(sandbox: SandboxOptions, network: boolean) {
  const options = await launchOptions(sandbox, network);
  const { byName } = sandbox;
  if (!network || byName === undefined || options.loopback === undefined) return options;
  return { ...options, policy: policyByName(options.policy, byName), env: { ...options.env, ...byName.variables } };
}
