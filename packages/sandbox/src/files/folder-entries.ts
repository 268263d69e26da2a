// Reads and replaces entries below a folder without ever going through a link: each folder on the way is opened inside the one before it, so
// that a link that is swapped in meanwhile leads nowhere. Paths are bytes, because names need not be text.
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { messageOf } from "@signalbox/base";
import { openFileSync } from "./open-file.ts";

export type Entry =
  | { readonly type: "file"; readonly bytes: Buffer; readonly mode: number; readonly isSettled: boolean }
  /** Larger than was asked for; `signature` changes when the file does. */
  | { readonly type: "big_file"; readonly size: number; readonly signature: string }
  | { readonly type: "link"; readonly target: Buffer }
  | { readonly type: "folder" }
  /** A pipe, a socket or a device. */
  | { readonly type: "special" }
  /** A file that may not be read, such as one of the register. */
  | { readonly type: "unreadable"; readonly reason: string }
  /** Also where a folder of the path is missing, or is a link or a file. */
  | { readonly type: "missing" };

/** How much of a tree is looked at: a command can make one that takes minutes. Folders are entries too. */
export interface TreeLimits {
  readonly entries: number;
  readonly depth: number;
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const readTries = 3;
/** A file that is put back runs with the rights of who runs it, whatever bits a command found a way to set. */
const plainBits = 0o1777;

export class FolderEntries {
  readonly #root: Buffer;

  /** `root` is trusted: it may be reached through links. */
  constructor(root: string) {
    this.#root = Buffer.from(root);
  }

  /**
   * The folder that is there now, for one piece of work: what is put in its place meanwhile is not touched. Throws where the path leads elsewhere,
   * so `root` must be a real path. Where the system has no paths of descriptors (macOS), it is the path as before.
   */
  pinned(): PinnedEntries {
    return new PinnedEntries(this.#root);
  }

  /** Reads the present entry. A file of more than `maxBytes` is not read. */
  read(path: Buffer, maxBytes: number): Entry {
    return this.#inFolder<Entry>(path, { type: "missing" }, (at) => readEntry(at, maxBytes));
  }

  /** The entry's own facts, links not followed; undefined where there is none. */
  status(path: Buffer): Stats | undefined {
    return this.#inFolder(path, undefined, (at) => lstatSync(at, { throwIfNoEntry: false }));
  }

  /** Lists the paths of everything below a folder except folders, links not followed; none if there is no folder. Undefined if there is more than `limits` allow. */
  filesBelow(path: Buffer, limits: TreeLimits): readonly Buffer[] | undefined {
    return this.#walk(path, limits, (file) => file);
  }

  /** Reads everything that `filesBelow` lists. All files together may have `maxBytes`; one that has more than is left is not read. */
  readFiles(
    path: Buffer,
    limits: TreeLimits,
    maxBytes: number,
  ): readonly { readonly path: Buffer; readonly entry: Entry }[] | undefined {
    let left = maxBytes;
    return this.#walk(path, limits, (file, at) => {
      const entry = readEntry(at, left);
      if (entry.type === "file") left -= entry.bytes.length;
      return { path: file, entry };
    });
  }

  /** Puts a file there as a whole, with these permission bits (none that give the rights of its owner), in place of a file or link. Makes missing folders. Throws what the system throws. */
  writeFile(path: Buffer, bytes: Uint8Array, mode: number): void {
    this.#replace(path, (unfinished) => {
      const descriptor = openSync(
        unfinished,
        constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
        0o600,
      );
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
        fchmodSync(descriptor, mode & plainBits);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    });
  }

  /** The same for a link. */
  writeLink(path: Buffer, target: Buffer): void {
    this.#replace(path, (unfinished) => symlinkSync(target, unfinished));
  }

  /** Removes a file or a link. */
  removeFile(path: Buffer): void {
    this.#inFolder(path, undefined, (at) => unlinkSync(at));
  }

  /** Gives an entry another name in its folder, in place of a file that has it. A link is renamed itself. */
  rename(path: Buffer, name: string): void {
    const folder = this.#openFolder(path, false);
    try {
      renameSync(inside(folder, readLastName(path)), inside(folder, Buffer.from(name)));
    } finally {
      closeSync(folder.descriptor);
    }
  }

  /** Removes a folder with everything in it, or a file; links are not followed. Throws where something new comes in meanwhile. */
  removeTree(path: Buffer): void {
    this.#inFolder(path, undefined, removeEntry);
  }

  /** Changes the permission bits of a file, not through a link. */
  setMode(path: Buffer, mode: number): void {
    this.#inFolder(path, undefined, (at) => {
      const descriptor = openFileSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        fchmodSync(descriptor, mode & plainBits);
      } finally {
        closeSync(descriptor);
      }
    });
  }

  /** False when the folder is not empty, or is none. */
  removeEmptyFolder(path: Buffer): boolean {
    return this.#inFolder(path, false, (at) => {
      try {
        rmdirSync(at);
        return true;
      } catch {
        return false;
      }
    });
  }

  #walk<Result>(
    path: Buffer,
    limits: TreeLimits,
    visit: (path: Buffer, at: Buffer) => Result,
  ): readonly Result[] | undefined {
    const results: Result[] = [];
    let left = limits.entries;
    const walk = (folder: Buffer, at: Buffer, depth: number): boolean =>
      depth <= limits.depth &&
      visitFolder(at, (name, inner, isFolder) => {
        if (left-- === 0) return false;
        const entry = joinNames(folder, name);
        if (isFolder) return walk(entry, inner, depth + 1);
        results.push(visit(entry, inner));
        return true;
      });
    return this.#inFolder(path, true, (at) => walk(path, at, 1)) ? results : undefined;
  }

  #replace(path: Buffer, make: (unfinished: Buffer) => void): void {
    const folder = this.#openFolder(path, true);
    try {
      const at = inside(folder, readLastName(path));
      const unfinished = inside(folder, Buffer.from(`.signalbox-${randomUUID()}`));
      try {
        make(unfinished);
        renameSync(unfinished, at);
      } catch (error) {
        removeIfThere(unfinished);
        throw error;
      }
    } finally {
      closeSync(folder.descriptor);
    }
  }

  #inFolder<Result>(path: Buffer, otherwise: Result, work: (at: Buffer) => Result): Result {
    let folder: OpenedFolder;
    try {
      folder = this.#openFolder(path, false);
    } catch (error) {
      if (isMissing(error)) return otherwise;
      throw error;
    }
    try {
      return work(inside(folder, readLastName(path)));
    } finally {
      closeSync(folder.descriptor);
    }
  }

  /** Opens the folder of the entry. Throws when a part of the path is no folder. */
  #openFolder(path: Buffer, shouldMake: boolean): OpenedFolder {
    let folder: OpenedFolder = {
      descriptor: openSync(this.#root, constants.O_RDONLY | constants.O_DIRECTORY),
      path: this.#root,
    };
    for (const name of splitNames(path).slice(0, -1)) {
      const at = inside(folder, name);
      try {
        if (shouldMake) makeFolder(at);
        const descriptor = openSync(at, folderFlags);
        closeSync(folder.descriptor);
        folder = { descriptor, path: Buffer.concat([folder.path, Buffer.from("/"), name]) };
      } catch (error) {
        closeSync(folder.descriptor);
        throw error;
      }
    }
    return folder;
  }
}

/** To be disposed when the work is done. */
export class PinnedEntries extends FolderEntries implements Disposable {
  readonly #descriptor: number | undefined;

  constructor(root: Buffer) {
    const descriptor = process.platform === "linux" ? openFolder(root) : undefined;
    super(descriptor === undefined ? root.toString() : `/proc/self/fd/${descriptor}`);
    this.#descriptor = descriptor;
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}

/** Throws where a link is in the path: something else was put there. */
function openFolder(root: Buffer): number {
  const descriptor = openSync(root, folderFlags);
  if (readlinkSync(`/proc/self/fd/${descriptor}`, { encoding: "buffer" }).equals(root)) return descriptor;
  closeSync(descriptor);
  throw new Error(`${root.toString()} leads elsewhere now`);
}

/** Calls `visit` for each name in the folder until it returns false. Returns false if it did. Each folder is opened once, so the depth of a tree costs nothing. */
function visitFolder(at: Buffer, visit: (name: Buffer, at: Buffer, isFolder: boolean) => boolean): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(at, folderFlags);
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
  const folder = { descriptor, path: at };
  try {
    using list = opendirSync(process.platform === "linux" ? `/proc/self/fd/${descriptor}` : at.toString(), bufferNames);
    for (let next = list.readSync(); next !== null; next = list.readSync()) {
      const name = next.name as unknown as Buffer; // as the encoding says; its type does not
      const inner = inside(folder, name);
      if (!visit(name, inner, lstatSync(inner, { throwIfNoEntry: false })?.isDirectory() === true)) return false;
    }
    return true;
  } finally {
    closeSync(descriptor);
  }
}

/** The type of this option lacks "buffer", which the documentation has. */
const bufferNames = { encoding: "buffer" as BufferEncoding };

function removeEntry(at: Buffer): void {
  if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) return unlinkSync(at);
  visitFolder(at, (_, inner) => {
    removeEntry(inner);
    return true;
  });
  rmdirSync(at);
}

interface OpenedFolder {
  readonly descriptor: number;
  readonly path: Buffer;
}

/** Stays in the opened folder, whatever happens to its path. Where the system has no such paths (macOS), the plain path. */
function inside({ descriptor, path }: OpenedFolder, name: Buffer): Buffer {
  return process.platform === "linux"
    ? Buffer.concat([Buffer.from(`/proc/self/fd/${descriptor}/`), name])
    : Buffer.concat([path, Buffer.from("/"), name]);
}

function readEntry(at: Buffer, maxBytes: number): Entry {
  const status = lstatSync(at, { throwIfNoEntry: false });
  if (status === undefined) return { type: "missing" };
  if (status.isDirectory()) return { type: "folder" };
  try {
    if (status.isSymbolicLink()) return { type: "link", target: readlinkSync(at, { encoding: "buffer" }) };
    if (!status.isFile()) return { type: "special" };
    const descriptor = openFileSync(at, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      return readOpened(descriptor, maxBytes);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isMissing(error)) return { type: "missing" };
    return { type: "unreadable", reason: messageOf(error) };
  }
}

/** Tries again when the file changes while it is read. */
function readOpened(descriptor: number, maxBytes: number): Entry {
  for (let tries = 1; ; tries++) {
    const before = fstatSync(descriptor, { bigint: true });
    if (!before.isFile()) return { type: "special" };
    if (before.size > maxBytes) {
      return {
        type: "big_file",
        size: Number(before.size),
        signature: `${before.size} ${before.mtimeNs} ${before.ino}`,
      };
    }
    const bytes = Buffer.allocUnsafe(Number(before.size));
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got) {
      got = readSync(descriptor, bytes, length, bytes.length - length, length);
    }
    const after = fstatSync(descriptor, { bigint: true });
    const isSettled = after.mtimeNs === before.mtimeNs && after.size === before.size && length === bytes.length;
    if (isSettled || tries === readTries) {
      return { type: "file", bytes: bytes.subarray(0, length), mode: Number(after.mode) & 0o7777, isSettled };
    }
  }
}

function makeFolder(at: Buffer): void {
  try {
    mkdirSync(at);
  } catch (error) {
    if (readErrorCode(error) !== "EEXIST") throw error;
  }
}

function removeIfThere(at: Buffer): void {
  try {
    unlinkSync(at);
  } catch (error) {
    if (readErrorCode(error) !== "ENOENT") throw error;
  }
}

/** Throws for a path that could lead out of the folder. */
function splitNames(path: Buffer): readonly Buffer[] {
  const names: Buffer[] = [];
  for (let start = 0; start <= path.length; ) {
    const slash = path.indexOf(0x2f, start);
    const end = slash < 0 ? path.length : slash;
    const name = path.subarray(start, end);
    const text = name.toString("latin1");
    if (text === "" || text === "." || text === ".." || text.includes("\0")) {
      throw new Error(`${JSON.stringify(path.toString())} is no path below a folder`);
    }
    names.push(name);
    start = end + 1;
  }
  return names;
}

function joinNames(path: Buffer, name: Buffer): Buffer {
  return Buffer.concat([path, Buffer.from("/"), name]);
}

function readLastName(path: Buffer): Buffer {
  return splitNames(path).at(-1) ?? path;
}

function isMissing(error: unknown): boolean {
  const code = readErrorCode(error);
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP";
}

function readErrorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
