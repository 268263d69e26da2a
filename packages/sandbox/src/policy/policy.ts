// Declares a policy: a network setting, and rules about real paths, of which the most specific decides.

/** `sandbox`: writes in the workspace. `rx`: the workspace is read-only. `rwx`: no limits but the protected paths. */
export type AccessMode = "sandbox" | "rx" | "rwx";

/** Only what a proxy lets through. It needs namespaces; where there are none, nothing is let through. */
export type NetworkAccess = "on" | "off" | NetworkByName;

/** How a private loopback leads to a proxy. */
export interface NetworkByName {
  /** The proxy's unix socket. */
  readonly socket: string;
  /** Where the loopback listens: with an empty target for the proxy itself, else for that host and port. */
  readonly places: readonly { readonly address: string; readonly port: number; readonly target: string }[];
  /** The content of /etc/hosts inside the sandbox. */
  readonly hosts: string;
}

/** The permitted access to a path and everything below it. */
export type Access = "hidden" | "read" | "write";

/** Why a rule exists. A stable word: it is stored with decisions and shown to people. */
export type RuleName =
  | "everything-else"
  | "workspace"
  | "data-workspace"
  | "other-worktrees"
  | "skills"
  | "trusted-certificates"
  | "agent-state"
  | "temp"
  | "configured"
  | "system-folder"
  | "own-data"
  | "home"
  | "toolchain"
  | "git-identity"
  | "shell-start-up"
  | "credentials"
  | "git-internals"
  | "project-settings"
  | "editor-settings"
  | "own-program"
  | "process-data"
  | "user-rule"
  | "refused";

export type Decision =
  | { readonly allowed: true; readonly path: string; readonly rule: RuleName }
  | { readonly allowed: false; readonly path: string; readonly rule: RuleName | "path"; readonly message: string };

/**
 * How a guard treats a missing path: nothing (`existing`), create it empty and read-only (`folder`), or end the command that creates it
 * (`absent`). `scratch` is like `existing`, but commands may write to the path: in memory only, and nothing is kept.
 */
export type Guard = "existing" | "folder" | "absent" | "scratch";

/**
 * What commands find at a path in place of what is there outside: an empty folder, another folder, or an overlay, in which what is written goes to
 * `upper` and `lower` shows through it. The last two need namespaces.
 */
export type StandIn =
  | { readonly type: "empty" }
  | { readonly type: "folder"; readonly folder: string }
  | { readonly type: "overlay"; readonly lower: string; readonly upper: string; readonly work: string };

export interface Rule {
  /** A real path: absolute, without links, without a slash at the end. */
  readonly path: string;
  readonly access: Access;
  readonly name: RuleName;
  /**
   * A guard takes something away inside a writable folder that is otherwise free (`.git/hooks` in the workspace). File
   * tools always obey it; for commands it needs a mount, which not every machine allows. See docs/sandbox.md.
   */
  readonly guard?: Guard;
  readonly standIn?: StandIn;
}

export interface Policy {
  readonly mode: AccessMode;
  readonly network: NetworkAccess;
  readonly rules: readonly Rule[];
  /** Folders that were asked for but lie in a protected place, so that the page can show why they are not writable. */
  readonly ignored: readonly { readonly path: string; readonly because: Rule }[];
}

/** True for the folder itself and for everything in it. Both paths are normal: no dots, no slash at the end. */
export function isInside(path: string, folder: string): boolean {
  if (!path.startsWith(folder)) return false;
  return path.length === folder.length || folder === "/" || path[folder.length] === "/";
}

/**
 * How a path reads where letter case does not count. Protections are compared this way: on a file system that ignores
 * case `~/.SSH` is `~/.ssh`, and on one that does not, no one misses it. Permissions are never folded.
 */
export function fold(path: string): string {
  if (/^[\x20-\x7e]*$/.test(path)) return path.toLowerCase();
  // Such file systems fold `ſ` to `s`, and some leave out what cannot be seen.
  const visible = path.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
  return visible.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}
