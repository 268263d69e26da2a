// What all sessions of a client share.
import type { AcpClient } from "@signalbox/tool-calls";
import type { ClaudeSdk } from "../sdk/sdk.ts";
import type { ClientSide } from "../tools/client-side.ts";

export interface SessionHome {
  readonly sdk: ClaudeSdk;
  readonly client: AcpClient;
  /** The client's files and terminals for a session. */
  readonly side: (sessionId: string) => ClientSide;
  readonly showsNotices: boolean;
  readonly mayBypass: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly log: (line: string) => void;
}
