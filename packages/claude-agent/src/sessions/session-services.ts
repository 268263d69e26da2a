// Declares what all sessions of a client share.
import type { ClientFiles, ClientTerminals, Elicitations } from "@signalbox/agent-kit";
import type { AcpClient } from "@signalbox/tool-calls";
import type { ClaudeSdk, SdkMcpServerConfig } from "../sdk/sdk.ts";

/** Where one of them works. */
export interface SessionPlace {
  readonly id: string;
  readonly cwd: string;
  readonly folders: readonly string[];
  readonly servers: Readonly<Record<string, SdkMcpServerConfig>>;
}

export interface SessionServices {
  readonly sdk: ClaudeSdk;
  readonly client: AcpClient;
  /** The client's files and terminals for a session. */
  readonly files: (sessionId: string) => ClientFiles;
  /** Undefined where the client has none. */
  readonly terminals: (sessionId: string) => ClientTerminals | undefined;
  /** The client lets a command in its terminals ask for more than their sandbox gives. */
  readonly escalates?: boolean;
  readonly showsNotices: boolean;
  /** Null where the client shows neither forms nor pages. */
  readonly elicitations: Elicitations | null;
  readonly mayBypass: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly log: (line: string) => void;
}
