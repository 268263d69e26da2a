// The workspace of a session: the only place where tools meet the sandbox.
import type { ClientTerminals } from "./commands/command.ts";
import type { ClientFiles } from "./files/files.ts";
import type { Workspace } from "./workspace.ts";

export interface WorkspaceOptions {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** Signalbox's own folder: protected, except its `workspace/`. */
  readonly home: string;
  /** What commands and writes may touch. Asked anew for every call, because a session's mode changes. */
  readonly access: () => WorkspaceAccess;
  readonly clientFiles?: ClientFiles;
  /** Given where the user chose to run commands in the client's terminal. */
  readonly clientTerminals?: ClientTerminals;
}

export interface WorkspaceAccess {
  /** `plan` is the agent's own mode: give `rx` for it. `off` only from the user's own config. */
  readonly mode: "sandbox" | "rx" | "rwx" | "off";
  /** Whether commands have the network without asking. */
  readonly network: boolean;
  /** Folders that may be written besides the session's own. */
  readonly writable: readonly string[];
}

export function openWorkspace(_options: WorkspaceOptions): Workspace {
  throw new Error("not there yet");
}
