// Finds what the sandbox denied, or probably did. Only the program itself gets the error from the kernel, so its output is read: a line counts if it
// names a path with a permission error and the policy forbids that path. This is likely and not certain: the command may only have printed
// such a text, or the file may be forbidden outside the sandbox too.
import { isAbsolute, join } from "node:path";
import { describePutAside, type PutAside } from "../made-settings/made-settings.ts";
import { canAccess } from "../policy/can-access.ts";
import { findRule, type Operation } from "../policy/decide.ts";
import type { Policy } from "../policy/policy.ts";

export interface Denial {
  /** `host`: the network goes by name, and a connection was not let through. */
  readonly what: "write" | "read" | "network" | "host";
  readonly path?: string;
  readonly rule: string;
  /** One line: which path and which rule. */
  readonly message: string;
  /** False where it was read from the output. */
  readonly isCertain: boolean;
}

/** A connection that the proxy of a network by name did not make. */
export interface RefusedHost {
  readonly host: string;
  readonly port: number;
  /** A sentence: why, and what can be done. */
  readonly reason: string;
}

/** A denial in one line, for the model and the person. */
export function describeDenial({ what, message, isCertain }: Denial): string {
  if (what === "host" && isCertain) return `While the command ran, ${message}`;
  return `The sandbox ${isCertain ? "" : "probably "}denied: ${message}`;
}

const maxDenials = 20;
const maxLineLength = 4096;
/** Characters after which nothing is looked for any more: a flood must not cost more to read than to make. */
const maxTextLength = 8 * 1024 ** 2;
const permissionErrors =
  /permission denied|read-only file system|operation not permitted|device or resource busy|no such device or address|EACCES|EROFS|EPERM|EBUSY/i;
/** Node makes a folder with those above it. On a read-only file system that fails as if one of them were missing. */
const folderErrors = /\bENOENT\b.*\bmkdir\b/;
/** With the network off these have one cause. A refused connection does not count: the command's own loopback refuses too. */
const networkErrors =
  /network is unreachable|could not resolve host|failed to connect to \S+ port|couldn.t connect to server|failure in name resolution|name or service not known|no address associated|could not find a version that satisfies the requirement|using offline mode|network access disabled|has been blocked because of your configuration settings|disabled by GOPROXY=off|could not be found in registry index|available for offline mode|EAI_AGAIN|ENOTFOUND|ENETUNREACH|(connect|listen|socket|bind):? (EACCES|EPERM)\b(?!.*\/)/i;
/** A server on this machine that does not answer is not there. It says nothing about the network. */
const loopbackNames = /\blocalhost\b|\b127(?:\.\d{1,3}){3}\b|(?<![\w:])::1\b/i;
/** With a network by name these come from programs that do not ask the proxy. */
const directErrors =
  /network is unreachable|could not resolve host|failure in name resolution|name or service not known|no address associated|EAI_AGAIN|ENOTFOUND|ENETUNREACH/i;
/** Git's words where gpg or ssh could not sign: both need a key, or an agent that has it, which are closed inside. */
const signingErrors = /gpg failed to sign the data|couldn.t load public key|error: couldn.t get agent socket/i;
/** A path in quotes of any kind, or standing between spaces, colons or the line's ends. */
const pathPattern = /['"`‘]([^'"`‘’]*\/[^'"`‘’]*|[^'"`‘’\s]+)['"`’]|(?:^|[\s:(])((?:\.{0,2}\/|[\w.@-]+\/)[^\s:'",)]*)/g;

/** A shell names itself, then the line, then the path: "/bin/bash: line 1: in.txt: Read-only file system". */
const shellErrorPattern =
  /^(?:\S*\/)?(?:ba|da|z|k|a)?sh: (?:line )?\d*:? ?(?:cannot (?:create|open) )?(.+?): (?:permission denied|read-only file system|operation not permitted)\s*$/i;

/** Who complains, where it is a shell. */
const shellNamePattern = /^(?:\S*\/)?(?:ba|da|z|k|a)?sh: /;
/** No path of this machine. */
const addressPattern = /\b(?!file:)[a-z][a-z0-9+.-]*:\/\/\S+/gi;

/** Whether the exit code of this line may be 0 although a part of it failed: of a pipe or a list it is that of the last part. */
export function mayHideFailure(command: string): boolean {
  return /[|;&\n]/.test(command.trim().replaceAll(/&&|\d*>&\d|&>|>&/g, " "));
}

/** Finds the denials in the whole output of a command that failed. */
export function findDenials(output: string, policy: Policy, cwd: string): Denial[] {
  const finder = new DenialFinder(policy, cwd);
  finder.read(output);
  return finder.finish({ hasSucceeded: false });
}

export class DenialFinder {
  readonly #policy: Policy;
  readonly #cwd: string;
  readonly #found = new Map<string, Denial>();
  #unfinishedLine = "";
  #seen = 0;

  constructor(policy: Policy, cwd: string) {
    this.#policy = policy;
    this.#cwd = cwd;
  }

  read(text: string): void {
    if (this.#found.size >= maxDenials || this.#seen > maxTextLength) return;
    this.#seen += text.length;
    const joined = this.#unfinishedLine + text;
    const lastBreak = joined.lastIndexOf("\n");
    this.#unfinishedLine = joined.slice(lastBreak + 1, lastBreak + 1 + maxLineLength + 1);
    if (![permissionErrors, folderErrors, networkErrors, signingErrors].some((errors) => errors.test(joined))) return;
    for (const line of joined.slice(0, lastBreak + 1).split("\n")) this.#readLine(line);
  }

  /** The helper ended the command because it made this path, and removed it. */
  addForbidden(path: string): void {
    const { name } = findRule(this.#policy, path);
    const isOfUser = name === "refused" || name === "user-rule";
    const rule = isOfUser || name === "project-settings" ? name : "git-internals";
    const why = isOfUser ? "the user does not allow a change of it" : "programs outside would obey it";
    const message = `the command was ended and ${path} removed: ${why} (rule ${rule})`;
    this.#found.set(path, { what: "write", path, rule, message, isCertain: true });
  }

  /** The helper ended the command because another program replaced this file, which takes away what kept it closed. */
  addUnguarded(path: string): void {
    const rule = findRule(this.#policy, path).name;
    const message = `the command was ended: another program replaced ${path} while it ran, and the sandbox could not keep it closed any more (rule ${rule}). Run the command again`;
    this.#found.set(path, { what: "write", path, rule, message, isCertain: true });
  }

  addPutAside(aside: PutAside): void {
    const { path, rule } = aside;
    this.#found.set(path, { what: "write", path, rule, message: describePutAside(aside), isCertain: true });
  }

  /** About git's settings: a change that was dropped, or why the command was ended. */
  addOfGit(message: string): void {
    this.#found.set(message, { what: "write", rule: "git-internals", message, isCertain: true });
  }

  /** Adds a host that the proxy refused. The proxy does not know which program of the session asked. */
  addRefusedHost({ host, port, reason }: RefusedHost): void {
    const message = `a connection to ${host.includes(":") ? `[${host}]` : host}:${port} was not made: ${reason}`;
    this.#found.set(message, { what: "host", rule: "network-by-name", message, isCertain: true });
  }

  /** Of a command that succeeded, only what is certain: it may have shown a log with such lines, and it did without the hosts that were refused. */
  finish({ hasSucceeded }: { readonly hasSucceeded: boolean }): Denial[] {
    this.#readLine(this.#unfinishedLine);
    return [...this.#found.values()].filter(({ isCertain, what }) => !hasSucceeded || (isCertain && what !== "host"));
  }

  #readLine(line: string): void {
    if (line.length > maxLineLength || this.#found.size >= maxDenials) return;
    if (networkErrors.test(line) && loopbackNames.test(line)) return;
    if (this.#policy.network === "off" && networkErrors.test(line)) {
      const message = "the network is off for this command (rule network-off)";
      this.#found.set("network", { what: "network", rule: "network-off", message, isCertain: false });
    } else if (typeof this.#policy.network !== "string" && directErrors.test(line)) {
      const message =
        "a direct connection: the network goes by name. The program has to use the proxy that HTTPS_PROXY names, or the person adds the exact name of the host to sandbox.network.allow (rule network-by-name)";
      this.#found.set("network", { what: "host", rule: "network-by-name", message, isCertain: false });
    } else if (signingErrors.test(line)) {
      const message =
        "your signing keys and their agents are closed inside (rule credentials). Commit with --no-gpg-sign, or ask to run it outside";
      this.#found.set("signing", { what: "read", rule: "credentials", message, isCertain: false });
    } else if (permissionErrors.test(line) || folderErrors.test(line)) {
      const ofShell = shellErrorPattern.exec(line)?.[1];
      if (ofShell !== undefined) return this.#readPath(ofShell);
      const matches = [...line.replaceAll(addressPattern, "").matchAll(pathPattern)];
      // "/bin/cp: /etc/x: Permission denied" begins with who complains, not with what about.
      const beginsWithName = matches[0]?.index === 0 && (matches.length > 1 || shellNamePattern.test(line));
      const about = beginsWithName ? matches.slice(1) : matches;
      for (const [, quoted, bare] of about) this.#readPath(quoted ?? bare ?? "");
    }
  }

  #readPath(path: string): void {
    const absolute = isAbsolute(path) ? path : join(this.#cwd, path);
    for (const what of ["read", "write"] satisfies Operation[]) {
      const decision = canAccess(this.#policy, absolute, what);
      if (decision.allowed || decision.rule === "path") continue;
      const { path: denied, rule, message } = decision;
      this.#found.set(denied, { what, path: denied, rule, message, isCertain: false });
      return;
    }
  }
}
