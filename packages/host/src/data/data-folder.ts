// Opens the data folder, which holds the register, the token and the address of the running host. Only its owner may read it.

import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { messageOf } from "@signalbox/protocol";
import { StartError } from "./host-error.ts";

export interface DataFolder {
  readonly path: string;
  readonly database: string;
  /** Output of agents other than messages. */
  readonly logs: string;
  /** The remembered answers. */
  readonly rules: string;
  /** The secret that a page or a command needs to connect to the host. */
  readonly token: string;
}

/** The address of a running host, for commands on the same machine. */
interface RunningHost {
  readonly pid: number;
  readonly url: string;
  /** Its certificate, where it speaks HTTPS. */
  readonly certificate?: string;
}

export { defaultDataFolder } from "@signalbox/config";

/** Creates the folder and the token where they are missing. Throws a StartError that says why it cannot. */
export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder);
  try {
    makeFolder(join(path, "run"));
    makeFolder(join(path, "logs"));
    makeFolder(join(path, "workspace", "demo"));
    return {
      path,
      logs: join(path, "logs"),
      database: join(path, "signalbox.db"),
      rules: rulesFile(path),
      token: readOrMakeToken(join(path, "token")),
    };
  } catch (error) {
    throw new StartError(`The data folder ${path} cannot be used: ${explain(error)}`, { cause: error });
  }
}

/** The data folder and its config.json where other users of this machine may use them. Both can hold keys. */
export function findExposedPaths(folder: string): readonly string[] {
  const path = resolve(folder);
  return [path, join(path, "config.json")].filter((each) => {
    const mode = statSync(each, { throwIfNoEntry: false })?.mode ?? 0;
    return (mode & 0o077) !== 0;
  });
}

/** Takes the rights of other users away from what a person made with more than needed. Reports each change, and each that is not possible. */
export function tightenDataFolder(folder: string, onProblem: (problem: string) => void): void {
  for (const path of findExposedPaths(folder)) {
    try {
      chmodSync(path, statSync(path).mode & 0o700);
      onProblem(`Other users of this machine could read ${path}. Now only you can.`);
    } catch (error) {
      onProblem(`Other users of this machine can read ${path}, and this cannot be changed: ${messageOf(error)}`);
    }
  }
}

/** Has the remembered rules. */
export function rulesFile(dataFolder: string): string {
  return resolve(dataFolder, "permissions.json");
}

/** Remembers what of the register has reached the shared database. */
export function sharedFile(dataFolder: string): string {
  return resolve(dataFolder, "shared.db");
}

export function writeRunningHost(folder: DataFolder, host: RunningHost): void {
  writePrivately(runningHostFile(folder), JSON.stringify(host));
}

export function forgetRunningHost(folder: DataFolder): void {
  rmSync(runningHostFile(folder), { force: true });
}

/** The host that was started last with this folder, or null. It may have ended without removing its file. */
export function readRunningHost(folder: DataFolder): RunningHost | null {
  try {
    const value: unknown = JSON.parse(readFileSync(runningHostFile(folder), "utf8"));
    if (typeof value !== "object" || value === null || !("pid" in value) || !("url" in value)) return null;
    const { pid, url } = value;
    if (typeof pid !== "number" || typeof url !== "string") return null;
    return "certificate" in value && typeof value.certificate === "string"
      ? { pid, url, certificate: value.certificate }
      : { pid, url };
  } catch {
    return null;
  }
}

/** Creates one missing folder after the other: Node's recursive mkdir never returns on a file system without folders (/proc). */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (isCode(error, "EEXIST") && statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (!isCode(error, "ENOENT") || existsSync(parent)) throw error;
    makeFolder(parent);
    mkdirSync(path, { mode: 0o700 });
  }
}

function runningHostFile(folder: DataFolder): string {
  return join(folder.path, "run", "host.json");
}

function readOrMakeToken(file: string): string {
  try {
    const token = readFileSync(file, "utf8").trim();
    // Its permissions may have been changed; a token that other users can read is no secret.
    chmodSync(file, 0o600);
    if (/^[\w-]{20,}$/.test(token)) return token;
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
  }
  const token = randomBytes(24).toString("base64url");
  writePrivately(file, token);
  return token;
}

/** Writes all or nothing, and never readable by other users. */
export function writePrivately(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}

function explain(error: unknown): string {
  const refused = ["EACCES", "EPERM", "EROFS", "ENOENT"];
  if (refused.some((code) => isCode(error, code))) {
    return "it is not writable for you. Choose another one with --data-dir, or change its permissions.";
  }
  if (isCode(error, "ENOSPC") || isCode(error, "EDQUOT")) return "the disk is full. Free some space and start again.";
  if (isCode(error, "ENOTDIR") || isCode(error, "EEXIST")) return "a part of that path is a file, not a folder.";
  return messageOf(error);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
