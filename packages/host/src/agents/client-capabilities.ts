// Lists what the host does for agents, as ACP's client capabilities: for threads, and for the test of an agent.
import type { JsonObject } from "@signalbox/protocol";
import type { AccessMode, Enforcement } from "@signalbox/sandbox";
import { fileBytesMeta, type TerminalSandbox, terminalSandboxMeta } from "@signalbox/tool-calls";

export const clientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  // Not in the stable part of the protocol yet: plans with ids, and sessions of sub-agents.
  plan: {},
  subagents: {},
  // The page and the errors give the command line for a log-in that needs a terminal.
  auth: { terminal: true },
  _meta: fileBytesMeta,
} as const;

interface TerminalNetwork {
  readonly network: boolean;
  readonly loopback: string | undefined;
  readonly byName: TerminalSandbox["by_name"];
}

/** The capabilities for one thread: they promise the sandbox around its terminals, where there is one. */
export function makeCapabilities(
  enforcement: Enforcement,
  mode: AccessMode | "off",
  { network, loopback, byName }: TerminalNetwork,
): JsonObject {
  const isOn = mode !== "off" && enforcement.kind !== "off" && enforcement.kind !== "unavailable";
  if (!isOn) return clientCapabilities;
  return {
    ...clientCapabilities,
    _meta: {
      ...fileBytesMeta,
      ...terminalSandboxMeta({
        mode,
        network,
        escalates: true,
        ...(loopback !== undefined && { loopback }),
        ...(byName !== undefined && { by_name: byName }),
      }),
    },
  };
}
