// The data folder: where the register, the token and the note about the running host lie. Only its owner may read it.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { messageOf, StartError } from "./host-error.ts";

export interface DataFolder {
  readonly path: string;
  readonly database: string;
  /** Answers people asked to remember. */
  readonly rules: string;
  /** The secret that lets a page or a command talk to the host. */
  readonly token: string;
}

/** What a running host tells others on this machine: where it is. */
export interface RunningHost {
  readonly pid: number;
  readonly url: string;
  /** What it proves itself with, where it speaks HTTPS. */
  readonly certificate?: string;
}

/** A variable that is there and empty counts as none: it would name the folder that we are in. */
export function defaultDataFolder(env: NodeJS.ProcessEnv = process.env, home: string = homedir()): string {
  return resolve(env["SIGNALBOX_HOME"] || join(home, ".signalbox"));
}

/** Makes the folder and the token where they are missing. Throws a StartError that says why it cannot. */
export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder);
  try {
    makeFolder(join(path, "run"));
    return {
      path,
      database: join(path, "signalbox.db"),
      rules: join(path, "permissions.json"),
      token: readOrMakeToken(join(path, "token")),
    };
  } catch (error) {
    throw new StartError(`The data folder ${path} cannot be used: ${explain(error)}`, { cause: error });
  }
}

export function writeRunningHost(folder: DataFolder, host: RunningHost): void {
  writePrivately(noteOf(folder), JSON.stringify(host));
}

export function forgetRunningHost(folder: DataFolder): void {
  rmSync(noteOf(folder), { force: true });
}

/** The host that says it runs here, or null. The note may be stale: it proves nothing by itself. */
export function readRunningHost(folder: DataFolder): RunningHost | null {
  try {
    const note: unknown = JSON.parse(readFileSync(noteOf(folder), "utf8"));
    if (typeof note !== "object" || note === null || !("pid" in note) || !("url" in note)) return null;
    const { pid, url } = note;
    if (typeof pid !== "number" || typeof url !== "string") return null;
    return "certificate" in note && typeof note.certificate === "string"
      ? { pid, url, certificate: note.certificate }
      : { pid, url };
  } catch {
    return null;
  }
}

/** Each missing folder by itself: Node's recursive mkdir never returns where a file system takes no folders (/proc). */
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

function noteOf(folder: DataFolder): string {
  return join(folder.path, "run", "host.json");
}

function readOrMakeToken(file: string): string {
  try {
    const token = readFileSync(file, "utf8").trim();
    // Somebody may have loosened it; a token that others can read is no secret.
    chmodSync(file, 0o600);
    if (/^[\w-]{20,}$/.test(token)) return token;
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
  }
  const token = randomBytes(24).toString("base64url");
  writePrivately(file, token);
  return token;
}

/** Whole or not at all, and never readable by others, not even for a moment. */
function writePrivately(file: string, text: string): void {
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
