// Wraps the client that opened a session. Files and terminals are there only if the client advertised them.
import type { AgentContext, ClientCapabilities } from "@agentclientprotocol/sdk";
import {
  type ClientFiles,
  type ClientTerminals,
  clientElicitations,
  clientFiles,
  clientTerminals,
  type Elicitations,
} from "@signalbox/agent-kit";
import { type AcpClient, wrapClient } from "@signalbox/tool-calls";

export interface SessionClient extends AcpClient {
  readonly capabilities: ClientCapabilities;
  files(sessionId: string): ClientFiles;
  /** Undefined when the client has none. */
  terminals(sessionId: string): ClientTerminals | undefined;
  /** Undefined when it shows neither forms nor pages. */
  readonly elicitations: Elicitations | undefined;
}

export function sessionClient(context: AgentContext, capabilities: ClientCapabilities): SessionClient {
  return {
    ...wrapClient(context),
    capabilities,
    files: (sessionId) => clientFiles(context, capabilities, sessionId),
    elicitations: clientElicitations(context, capabilities) ?? undefined,
    terminals: (sessionId) => clientTerminals(context, capabilities, sessionId),
  };
}
