// Opens a folder by its descriptor, and reads and changes files in it: moving the folder, or putting a link in its place, leads nowhere else.
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { openFileSync } from "../files/open-file.ts";

/** Of settings that are read and written. */
const maxSettingsBytes = 256 * 1024;
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const noWait = constants.O_NOFOLLOW | constants.O_NONBLOCK; // a named pipe would keep us waiting for ever

export class OpenFolder implements Disposable {
  readonly #descriptor: number;

  /** Throws where the folder is missing or a link. */
  constructor(path: string) {
    this.#descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  }

  get status(): Stats {
    return fstatSync(this.#descriptor);
  }

  /** A folder in it. Throws where it is missing or a link. */
  openFolder(name: string): OpenFolder {
    return new OpenFolder(this.#at(name));
  }

  /** Where a link leads; undefined for anything else. */
  readLink(name: string): string | undefined {
    return this.readStatus(name)?.isSymbolicLink() === true ? readlinkSync(this.#at(name)) : undefined;
  }

  readStatus(name: string): Stats | undefined {
    return lstatSync(this.#at(name), { throwIfNoEntry: false });
  }

  /** Each byte is a character, so that what is no UTF-8 stays as it is. Undefined for what is missing, no plain file, or too big. */
  read(name: string): string | undefined {
    return this.readFile(name)?.text;
  }

  /** The same, with the status of the very file that was read. */
  readFile(name: string): { readonly text: string; readonly status: Stats } | undefined {
    let file: number;
    try {
      file = openFileSync(this.#at(name), constants.O_RDONLY | noWait);
    } catch {
      return undefined;
    }
    try {
      const text = readPlain(file);
      return text === undefined ? undefined : { text, status: fstatSync(file) };
    } finally {
      closeSync(file);
    }
  }

  /** Throws where something has that name. */
  create(name: string, text: string, mode = 0o600): void {
    const file = openSync(this.#at(name), newFile, 0o600);
    try {
      if (mode !== 0o600) fchmodSync(file, mode);
      writeSync(file, Buffer.from(text, "latin1"));
    } finally {
      closeSync(file);
    }
  }

  /** Makes the file, or replaces it, all or nothing. */
  replace(name: string, text: string, mode?: number): void {
    const other = `.new-${randomUUID()}`;
    this.create(other, text, mode);
    renameSync(this.#at(other), this.#at(name));
  }

  /** Does something while a file `lock` exists. Throws EEXIST where another program has it. */
  whileLocked<Result>(lock: string, act: () => Result): Result {
    closeSync(openSync(this.#at(lock), newFile, 0o600));
    try {
      return act();
    } finally {
      unlinkSync(this.#at(lock));
    }
  }

  /**
   * Changes the text of a file, in its place. Not by renaming a new file over it: that would take away the mounts that guard it in every sandbox.
   * Throws where there is no plain file of one name, or another one at the end.
   */
  change(name: string, edit: (text: string) => string): void {
    const file = openFileSync(this.#at(name), constants.O_RDWR | noWait);
    try {
      const text = readPlain(file);
      const status = fstatSync(file);
      if (text === undefined || status.nlink !== 1) throw new Error(`${name} is not a plain file`);
      const edited = edit(text);
      if (edited === text) return;
      const bytes = Buffer.from(edited, "latin1");
      if (bytes.length > maxSettingsBytes) throw new Error(`${name} would be too big`);
      writeSync(file, bytes, 0, bytes.length, 0);
      ftruncateSync(file, bytes.length);
      if (this.readStatus(name)?.ino !== status.ino) throw new Error(`${name} was replaced`);
    } finally {
      closeSync(file);
    }
  }

  /** Moves a file into another folder, where it takes the place of what has that name. */
  move(name: string, other: OpenFolder, newName: string): void {
    renameSync(this.#at(name), other.#at(newName));
  }

  /** Leaves a folder that a command made there. */
  removeIfFile(name: string): void {
    try {
      this.removeFile(name);
    } catch {}
  }

  removeFile(name: string): void {
    unlinkSync(this.#at(name));
  }

  /** Throws where it is not empty. */
  removeFolder(name: string): void {
    rmdirSync(this.#at(name));
  }

  /** Whether this folder, and no other or a link, is at the path. */
  isAt(path: string): boolean {
    const [own, found] = [fstatSync(this.#descriptor), lstatSync(path, { throwIfNoEntry: false })];
    return found !== undefined && found.ino === own.ino && found.dev === own.dev;
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }

  #at(name: string): string {
    return `/proc/self/fd/${this.#descriptor}/${name}`;
  }
}

function readPlain(file: number): string | undefined {
  const status = fstatSync(file);
  return status.isFile() && status.size <= maxSettingsBytes ? readFileSync(file, "latin1") : undefined;
}
