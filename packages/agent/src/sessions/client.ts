// What a session asks of the client that opened it. Files and terminals are there only where the client advertised them.
import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import type { AcpClient } from "@signalbox/tool-calls";
import type { ClientTerminals } from "../tools/commands/terminal-command.ts";
import type { ClientFiles } from "../tools/files/files.ts";

export interface SessionClient extends AcpClient {
  readonly capabilities: ClientCapabilities;
  files(sessionId: string): ClientFiles;
  /** Undefined where the client has none. */
  terminals(sessionId: string): ClientTerminals | undefined;
}
