// Declares what all sessions of a client share.
import type { ClientFiles, ClientTerminals, Elicitations, Instructions } from "@signalbox/agent-kit";
import type { AcpClient, TerminalSandbox } from "@signalbox/tool-calls";
import type { ClaudeSdk, SdkMcpServerConfig } from "../sdk/sdk.ts";

/** As they were when the session began; empty where there are none. */
export type SessionInstructions = Pick<Instructions, "user" | "project">;

/** Where one of them works. */
export interface SessionPlace {
  readonly id: string;
  readonly cwd: string;
  readonly folders: readonly string[];
  readonly servers: Readonly<Record<string, SdkMcpServerConfig>>;
  readonly instructions: SessionInstructions;
}

export interface SessionServices {
  readonly sdk: ClaudeSdk;
  /** The program of Claude Code that the SDK starts. */
  readonly claudeProgram: string;
  /** The command that starts Signalbox itself. */
  readonly ownProgram: readonly [string, ...string[]];
  /** Variables that hold keys and do not look like it. */
  readonly secretNames: readonly string[];
  readonly client: AcpClient;
  /** The client's files and terminals for a session. */
  readonly files: (sessionId: string) => ClientFiles;
  /** Undefined where the client has none. */
  readonly terminals: (sessionId: string) => ClientTerminals | undefined;
  /** The sandbox that the client promises for its terminals. */
  readonly sandbox: TerminalSandbox | undefined;
  readonly showsNotices: boolean;
  /** Null where the client shows neither forms nor pages. */
  readonly elicitations: Elicitations | null;
  readonly mayBypass: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly log: (line: string) => void;
}
