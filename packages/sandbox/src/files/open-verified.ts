// Opens a file first and decides about what was really opened. Between a check and an open a folder may be swapped for a
// link; an open descriptor cannot be swapped, and /proc says where it leads.
import { closeSync, constants, fstatSync, readlinkSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { canAccess } from "../policy/can-access.ts";
import { decide } from "../policy/decide.ts";
import type { Policy } from "../policy/policy.ts";
import { openFile, openFileSync } from "./open-file.ts";
import { insist, SandboxError } from "./sandbox-error.ts";

/** Not blocking: opening a named pipe would otherwise wait for a writer for ever. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** A file for reading. The caller closes it. */
export async function openForRead(policy: Policy, path: string): Promise<FileHandle> {
  return (await openWithPath(policy, path)).handle;
}

/** A file for reading and its real path, for a caller that decides about what was opened. The caller closes it. */
export async function openWithPath(policy: Policy, path: string): Promise<{ handle: FileHandle; path: string }> {
  const real = insist(canAccess(policy, path, "read"));
  const handle = await openFile(real, openFlags);
  try {
    assertFile(policy, path, handle.fd, real);
    return { handle, path: openedPath(handle.fd, real) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Read synchronously: a handful of calls that the system answers from memory cost less than waiting for another thread. */
const smallFileBytes = 64 * 1024;

/** All of a file that is small; null when it is not, or may have no end. `confirm` gets the real path of what was opened, and throws to prevent it. */
export function readSmallFile(
  policy: Policy,
  path: string,
  confirm: (realPath: string) => void = () => {},
): Buffer | null {
  const real = insist(canAccess(policy, path, "read"));
  const descriptor = openFileSync(real, openFlags);
  try {
    const size = assertFile(policy, path, descriptor, real);
    confirm(openedPath(descriptor, real));
    // Files that have no size may have any length: those of /proc.
    if (size === 0 || size > smallFileBytes) return null;
    // One more than it should have: what grows meanwhile is not small for sure.
    const bytes = Buffer.allocUnsafe(size + 1);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got) {
      got = readSync(descriptor, bytes, length, bytes.length - length, length);
    }
    return length <= size ? bytes.subarray(0, length) : null;
  } finally {
    closeSync(descriptor);
  }
}

/** Its size. */
function assertFile(policy: Policy, path: string, descriptor: number, real: string): number {
  insist(decide(policy, openedPath(descriptor, real), "read"));
  const facts = fstatSync(descriptor);
  if (!facts.isFile()) throw new SandboxError("not_a_file", path, `${path} is not a regular file`);
  return facts.size;
}

/** An open folder and where it is. Nothing is decided yet: that depends on the entry. */
export class OpenFolder implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.path = path;
  }

  static async at(real: string): Promise<OpenFolder> {
    const handle = await open(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      return new OpenFolder(handle, openedPath(handle.fd, real));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Returns the entry's path as the policy knows it. */
  formatName(entry: string): string {
    return this.path === "/" ? `/${entry}` : `${this.path}/${entry}`;
  }

  /** False when the folder was moved or removed since it was opened. */
  isStillThere(): boolean {
    return openedPath(this.#handle.fd, this.path) === this.path;
  }

  /**
   * A path to the entry that stays in this folder, whatever happens to the folder's own path. Where the system has no
   * such paths (macOS), the plain path, and with it a short moment in which a swap would not be noticed.
   */
  formatPath(entry: string): string {
    return process.platform === "linux" ? `/proc/self/fd/${this.#handle.fd}/${entry}` : this.formatName(entry);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** Synchronous: about an open descriptor the kernel answers from memory. */
function openedPath(descriptor: number, expected: string): string {
  return process.platform === "linux" ? readlinkSync(`/proc/self/fd/${descriptor}`) : expected;
}
