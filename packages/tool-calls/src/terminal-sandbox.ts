// Reads and writes a client's promise, in the `_meta` of its capabilities, that its terminals run commands in a sandbox. An agent with its own
// sandbox then knows whether it can use a terminal of the client instead. For one command it can ask for more.
import { type Escalation, escalationKey } from "@signalbox/rules";

const key = "signalbox/terminal_sandbox";

/** A type, not an interface, so that it also is JSON with any field. */
export type TerminalSandbox = {
  /** `sandbox`: commands write in the session's folder. `rx`: nothing is written there. `rwx`: no limits but the protected paths. */
  readonly mode: "sandbox" | "rx" | "rwx";
  readonly network: boolean;
  /** A command may ask for more than this sandbox gives: `signalbox/escalate` in the `_meta` of `terminal/create`. */
  readonly escalates?: boolean;
  /** The unix socket of the loopback that the commands in these terminals share (docs/sandbox.md), for programs that the agent starts itself. */
  readonly loopback?: string;
  /** On this loopback the network goes by name: what /etc/hosts says there, and the variables that programs need for it. */
  readonly by_name?: { readonly hosts: string; readonly variables: Readonly<Record<string, string>> };
};

/** The `_meta` with which a client makes the promise. */
export function terminalSandboxMeta(sandbox: TerminalSandbox): { readonly [key]: TerminalSandbox } {
  return { [key]: sandbox };
}

/** Undefined when the client promises nothing, or something that is not understood. */
export function readTerminalSandbox(capabilities: { readonly _meta?: object | null }): TerminalSandbox | undefined {
  const { _meta: meta } = capabilities;
  const promised: Readonly<Record<string, unknown>> = { ...meta };
  const sandbox = promised[key];
  if (typeof sandbox !== "object" || sandbox === null) return undefined;
  const { mode, network, escalates, loopback, by_name }: Readonly<Record<string, unknown>> = { ...sandbox };
  const byName = readByName(by_name);
  if ((mode !== "sandbox" && mode !== "rx" && mode !== "rwx") || typeof network !== "boolean") return undefined;
  return {
    mode,
    network,
    ...(escalates === true && { escalates }),
    ...(typeof loopback === "string" && { loopback }),
    ...(byName !== undefined && { by_name: byName }),
  };
}

function readByName(told: unknown): TerminalSandbox["by_name"] {
  if (typeof told !== "object" || told === null) return undefined;
  const { hosts, variables }: Readonly<Record<string, unknown>> = { ...told };
  if (typeof hosts !== "string" || typeof variables !== "object" || variables === null) return undefined;
  const texts = Object.entries(variables).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return { hosts, variables: Object.fromEntries(texts) };
}

/** The `_meta` of `terminal/create` for a command that asks for more than the sandbox gives. */
export function escalationMeta(escalation: Escalation): { readonly [escalationKey]: Escalation } {
  return { [escalationKey]: escalation };
}

const deniedKey = "signalbox/denied";

/** Accesses that the sandbox of a terminal denied, one sentence each, as far as the client knows. */
export type TerminalDenials = {
  readonly denied: readonly string[];
  readonly network: boolean;
};

/** The `_meta` of the answer to `terminal/wait_for_exit`. */
export function terminalDenialsMeta(denials: TerminalDenials): { readonly [deniedKey]: TerminalDenials } {
  return { [deniedKey]: denials };
}

/** Undefined when the client does not tell. */
export function readTerminalDenials(exit: { readonly _meta?: object | null }): TerminalDenials | undefined {
  const { [deniedKey]: told }: Readonly<Record<string, unknown>> = { ...exit._meta };
  if (typeof told !== "object" || told === null) return undefined;
  const { denied, network }: { denied?: unknown; network?: unknown } = told;
  if (!Array.isArray(denied) || !denied.every((each) => typeof each === "string")) return undefined;
  return { denied, network: network === true };
}
