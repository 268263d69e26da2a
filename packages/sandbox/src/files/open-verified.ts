// Opens first and decides about what was really opened. Between a check and an open somebody may swap a folder for a
// link; an open descriptor cannot be swapped, and /proc says where it leads.
import { constants, fstatSync, readlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { canAccess } from "../policy/can-access.ts";
import { decide } from "../policy/decide.ts";
import type { Policy } from "../policy/policy.ts";
import { insist, SandboxError } from "./sandbox-error.ts";

/** A file for reading. The caller closes it. */
export async function openForRead(policy: Policy, path: string): Promise<FileHandle> {
  const real = insist(canAccess(policy, path, "read"));
  // Not blocking: opening a named pipe would otherwise wait for a writer for ever.
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    insist(decide(policy, openedPath(handle, real), "read"));
    if (!fstatSync(handle.fd).isFile()) throw new SandboxError("not_a_file", path, `${path} is not a regular file`);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
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
      return new OpenFolder(handle, openedPath(handle, real));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** What the policy knows the entry as. */
  nameOf(entry: string): string {
    return this.path === "/" ? `/${entry}` : `${this.path}/${entry}`;
  }

  /**
   * A path to the entry that stays in this folder, whatever happens to the folder's own path. Where the system has no
   * such paths (macOS), the plain path, and with it a short moment in which a swap would not be noticed.
   */
  pathOf(entry: string): string {
    return process.platform === "linux" ? `/proc/self/fd/${this.#handle.fd}/${entry}` : this.nameOf(entry);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** At once, like the question after the kind of file: about an open descriptor the kernel knows the answer by heart. */
function openedPath(handle: FileHandle, expected: string): string {
  return process.platform === "linux" ? readlinkSync(`/proc/self/fd/${handle.fd}`) : expected;
}
