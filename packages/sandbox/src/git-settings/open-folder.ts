// Opens a folder by its descriptor, and reads and changes files in it: moving the folder, or putting a link in its place, leads nowhere else.
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";

const maxBytes = 256 * 1024;
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export class OpenFolder {
  readonly #descriptor: number;

  /** Throws where the folder is missing or a link. */
  constructor(path: string) {
    this.#descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  }

  /** Gives what `act` gives, and undefined where the folder, or something in it, cannot be used. */
  static within<Result>(path: string, act: (folder: OpenFolder) => Result): Result | undefined {
    let folder: OpenFolder | undefined;
    try {
      folder = new OpenFolder(path);
      return act(folder);
    } catch {
      return undefined;
    } finally {
      folder?.close();
    }
  }

  get status(): Stats {
    return fstatSync(this.#descriptor);
  }

  /** A folder in it, with the same rights. Made where it is missing; throws where there is something else. */
  makeFolder(name: string): OpenFolder {
    try {
      mkdirSync(this.#at(name), { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const inner = new OpenFolder(this.#at(name));
    try {
      if (inner.status.uid !== this.status.uid) throw new Error(`${name} belongs to another user`);
      fchmodSync(inner.#descriptor, this.status.mode & 0o7777);
      return inner;
    } catch (error) {
      inner.close();
      throw error;
    }
  }

  /** Throws where it is missing or a link. */
  folder(name: string): OpenFolder {
    return new OpenFolder(this.#at(name));
  }

  /** Where a link leads; undefined for anything else. */
  linkAt(name: string): string | undefined {
    return this.statusOf(name)?.isSymbolicLink() === true ? readlinkSync(this.#at(name)) : undefined;
  }

  statusOf(name: string): Stats | undefined {
    return lstatSync(this.#at(name), { throwIfNoEntry: false });
  }

  /** Each byte is a character, so that what is no UTF-8 stays as it is. Undefined for what is missing, no plain file, or too big. */
  read(name: string): string | undefined {
    let file: number;
    try {
      file = openSync(this.#at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch {
      return undefined;
    }
    try {
      const status = fstatSync(file);
      return status.isFile() && status.size <= maxBytes ? readFileSync(file, "latin1") : undefined;
    } finally {
      closeSync(file);
    }
  }

  /** Makes the file, or replaces it, all or nothing. `isLasting`: when this is done, also a loss of power does not undo it. */
  replace(name: string, text: string, { mode = 0o600, isLasting = false } = {}): void {
    const other = `.new-${randomUUID()}`;
    const file = openSync(this.#at(other), newFile, 0o600);
    try {
      fchmodSync(file, mode);
      writeSync(file, Buffer.from(text, "latin1"));
      if (isLasting) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(this.#at(other), this.#at(name));
    if (isLasting) fsyncSync(this.#descriptor);
  }

  /** Makes a link, or puts it in the place of what is there. */
  replaceByLink(name: string, target: string): void {
    const other = `.new-${randomUUID()}`;
    symlinkSync(target, this.#at(other));
    renameSync(this.#at(other), this.#at(name));
  }

  /** Does something while a file `lock` exists. Throws where it is locked. */
  whileLocked<Result>(lock: string, act: () => Result): Result {
    closeSync(openSync(this.#at(lock), newFile, 0o600));
    try {
      return act();
    } finally {
      unlinkSync(this.#at(lock));
    }
  }

  /**
   * Changes the text of a file in its place, while a file `lock` exists. False, and nothing is changed, where the text is not `before`. Throws
   * where it is locked. Not by renaming a new file over it: that would take away the mounts that guard it in every sandbox.
   */
  change(name: string, before: string, after: string, lock: string): boolean {
    return this.whileLocked(lock, () => {
      if (this.read(name) !== before) return false;
      const file = openSync(this.#at(name), constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        if (fstatSync(file).nlink !== 1) return false;
        const bytes = Buffer.from(after, "latin1");
        writeSync(file, bytes, 0, bytes.length, 0);
        ftruncateSync(file, bytes.length);
      } finally {
        closeSync(file);
      }
      return true;
    });
  }

  /** Whether this folder, and no other or a link, is at the path. */
  isAt(path: string): boolean {
    const [own, found] = [fstatSync(this.#descriptor), lstatSync(path, { throwIfNoEntry: false })];
    return found !== undefined && found.ino === own.ino && found.dev === own.dev;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #at(name: string): string {
    return `/proc/self/fd/${this.#descriptor}/${name}`;
  }
}
