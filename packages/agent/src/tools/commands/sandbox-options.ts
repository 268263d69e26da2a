// Defines the options with which every command and program in the sandbox is started.
import type { CacheUse, Enforcement, Policy } from "@signalbox/sandbox";

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
}

/** The part that is the same for `runCommand` and `startProgram`. */
export async function launchOptions(
  { enforcement, policy, env, secretNames, loopback }: SandboxOptions,
  network: boolean,
) {
  const held = { enforcement: await enforcement(), policy: policy(network) };
  return { ...held, env: env(held), secretNames, loopback: await loopback() };
}
