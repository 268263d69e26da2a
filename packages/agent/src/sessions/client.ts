// Wraps the client that opened a session. Files and terminals are there only if the client advertised them.
import type { AgentContext, ClientCapabilities } from "@agentclientprotocol/sdk";
import { type ClientFiles, type ClientTerminals, clientFiles, clientTerminals } from "@signalbox/agent-kit";
import { type AcpClient, clientOf } from "@signalbox/tool-calls";

export interface SessionClient extends AcpClient {
  readonly capabilities: ClientCapabilities;
  files(sessionId: string): ClientFiles;
  /** Undefined when the client has none. */
  terminals(sessionId: string): ClientTerminals | undefined;
}

export function sessionClient(context: AgentContext, capabilities: ClientCapabilities): SessionClient {
  return {
    ...clientOf(context),
    capabilities,
    files: (sessionId) => clientFiles(context, capabilities, sessionId),
    terminals: (sessionId) => clientTerminals(context, capabilities, sessionId),
  };
}
