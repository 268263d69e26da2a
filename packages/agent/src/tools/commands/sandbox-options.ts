// Defines the options with which every command and program in the sandbox is started.
import type { CacheUse, Enforcement, Policy } from "@signalbox/sandbox";
import type { TerminalSandbox } from "@signalbox/tool-calls";

export interface SandboxOptions {
  readonly enforcement: () => Promise<Enforcement>;
  /** The policy of the moment, with or without the network. */
  readonly policy: (network: boolean) => Policy;
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
  { enforcement, policy, env, secretNames, loopback }: SandboxOptions,
  network: boolean,
) {
  const rights = { enforcement: await enforcement(), policy: policy(network) };
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
