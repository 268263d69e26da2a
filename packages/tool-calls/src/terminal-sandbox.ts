// Reads and writes a client's promise, in the `_meta` of its capabilities, that its terminals run commands in a sandbox. An agent with its own
// sandbox then knows whether it can use a terminal of the client instead.

const key = "signalbox/terminal_sandbox";

/** A type, not an interface, so that it also is JSON with any field. */
export type TerminalSandbox = {
  /** `sandbox`: commands write in the session's folder. `rx`: nothing is written there. `rwx`: no limits but the protected paths. */
  readonly mode: "sandbox" | "rx" | "rwx";
  readonly network: boolean;
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
  const { mode, network }: { mode?: unknown; network?: unknown } = sandbox;
  if ((mode !== "sandbox" && mode !== "rx" && mode !== "rwx") || typeof network !== "boolean") return undefined;
  return { mode, network };
}
