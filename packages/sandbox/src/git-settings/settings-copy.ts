// Lets commands change a repository's settings without being obeyed: inside, `.git/config` is a link to a copy. When a command ends the copy is
// compared with the file. A harmless change is carried over; any other is taken back. Programs outside never see what was not checked.
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
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeTemporaryFolder } from "../temporary-folder.ts";
import { dangersOf } from "./harmless-changes.ts";

const maxBytes = 256 * 1024;
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** A folder by its descriptor: moving it, or putting a link in its place, does not lead us anywhere else. */
class OpenFolder {
  readonly #descriptor: number;

  /** Throws where the folder is missing or a link. */
  constructor(path: string) {
    this.#descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
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

  /** Makes the file, or replaces it, all or nothing. */
  replace(name: string, text: string, mode = 0o600): void {
    const other = `.new-${randomUUID()}`;
    const file = openSync(this.#at(other), newFile, 0o600);
    try {
      fchmodSync(file, mode);
      writeSync(file, Buffer.from(text, "latin1"));
    } finally {
      closeSync(file);
    }
    renameSync(this.#at(other), this.#at(name));
  }

  /**
   * Changes the text of a file in its place, while a file `lock` exists. False, and nothing is changed, where the text is not `before`. Throws
   * where it is locked. Not by renaming a new file over it: that would take away the mounts that guard it in every sandbox.
   */
  change(name: string, before: string, after: string, lock: string): boolean {
    closeSync(openSync(this.#at(lock), newFile, 0o600));
    try {
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
    } finally {
      unlinkSync(this.#at(lock));
    }
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

/** A process that was killed leaves its copies behind. A session that loses one makes another. */
const maxAgeMs = 2 * 24 * 60 * 60 * 1000;

export class SettingsCopy {
  /** The file that commands must not write. */
  readonly path: string;
  /** What they write instead. */
  readonly target: string;
  readonly #copies: OpenFolder;
  /** Programs that run with this copy. */
  users = 0;
  /** The settings as copy and file were when both were last the same. */
  #same: string;
  /** The file as it was when no command can have written it. */
  #trusted: string;
  /** What was taken back of a file that was replaced, and not told yet. */
  #refused: readonly string[] = [];
  #refusals = 0;
  /** Whether it was replaced since a program began that may change settings, and which file it was before. */
  #wasReplaced = false;
  #file: number;
  readonly #mode: number;

  /** Undefined where the settings cannot be copied: then they stay closed. */
  static make(path: string, tempFolder: string): SettingsCopy | undefined {
    try {
      return new SettingsCopy(path, tempFolder);
    } catch {
      return undefined;
    }
  }

  private constructor(path: string, tempFolder: string) {
    this.path = path;
    const text = this.#readOriginal();
    if (text === undefined) throw new Error(`${path} cannot be read`);
    const folder = makeTemporaryFolder(tempFolder, "signalbox-git-", maxAgeMs);
    this.target = join(folder, "config");
    this.#copies = new OpenFolder(folder);
    this.#same = text;
    this.#trusted = text;
    const status = lstatSync(path);
    this.#mode = status.mode & 0o777;
    this.#file = status.ino;
    this.#restore();
  }

  /** Before a command: the copy is what the file is now. False where a command broke the copy's folder, or the file cannot be read. */
  refresh(): boolean {
    if (!this.#copies.isAt(dirname(this.target))) return false;
    this.settle();
    const text = this.#readOriginal();
    if (text === undefined || (this.users > 0 && dangersBetween(this.#trusted, text).length > 0)) return false;
    this.#trusted = text;
    if (this.users === 0) {
      this.#refusals = 0;
      this.#wasReplaced = false;
      this.#file = lstatSync(this.path, { throwIfNoEntry: false })?.ino ?? 0;
    }
    if (text !== this.#same) {
      this.#same = text;
      this.#restore();
    }
    return this.#copies.read("config") === text;
  }

  /**
   * The file was replaced while a program ran that may change settings. What it may have written is kept only if it is harmless; otherwise the
   * file is made as it was, and what was in it is kept under another name. True where that happens again and again.
   */
  replaced(text: string | undefined): boolean {
    this.#wasReplaced = true;
    // Git reads what is there into the new file: after a refusal it may have carried over what stood there for a moment.
    const isCertain = text !== undefined && this.#refusals === 0;
    const now = isCertain ? text : this.#readOriginal();
    const dangers = isCertain ? [] : dangersBetween(this.#trusted, now);
    if (dangers.length === 0 && now !== undefined) {
      this.#trusted = now;
      return false;
    }
    const aside = this.#putBack(now);
    this.#refused = [...dangers, `which was changed while another program replaced the file${aside}`];
    return ++this.#refusals > maxRefusals;
  }

  /** When such a program has ended: it may have been killed before its last change was seen. */
  checkAgain(): void {
    const file = lstatSync(this.path, { throwIfNoEntry: false })?.ino;
    if (this.#wasReplaced || file !== this.#file) this.replaced(undefined);
  }

  /** After a command: gives what of the change was taken back, and why; empty where nothing was. */
  settle(): readonly string[] {
    const refused = this.#refused.length === 0 ? [] : [this.#refused.join(", ")];
    this.#refused = [];
    return [...refused, ...this.#settleCopy()];
  }

  #settleCopy(): readonly string[] {
    const copy = this.#copies.read("config");
    if (copy === this.#same) return [];
    const dangers = copy === undefined ? ["the settings cannot be read any more"] : dangersOf(this.#same, copy);
    const problem = dangers.length > 0 || copy === undefined ? undefined : this.#carryOver(copy);
    if (dangers.length === 0 && problem === undefined) return [];
    this.#restore();
    return problem === undefined ? dangers : [problem];
  }

  /** The copy is not used any more. */
  close(): void {
    this.#copies.close();
  }

  #carryOver(text: string): string | undefined {
    let folder: OpenFolder | undefined;
    try {
      folder = new OpenFolder(dirname(this.path));
      // Under the name with which git itself locks the file.
      if (!folder.change("config", this.#same, text, "config.lock"))
        return "the settings were changed outside meanwhile";
      this.#same = text;
      this.#trusted = text;
      return undefined;
    } catch {
      return "the settings are locked or cannot be written";
    } finally {
      folder?.close();
    }
  }

  /** Gives where the text is now, to be read by a person. */
  #putBack(now: string | undefined): string {
    let folder: OpenFolder | undefined;
    try {
      folder = new OpenFolder(dirname(this.path));
      const name = `config.refused-${randomUUID().slice(0, 8)}`;
      if (now !== undefined) folder.replace(name, now);
      folder.replace("config", this.#trusted, this.#mode);
      return now === undefined ? "" : `; the refused text is in ${join(dirname(this.path), name)}`;
    } catch {
      return "; it could not be put back: look at the file before you use git there";
    } finally {
      folder?.close();
    }
  }

  #readOriginal(): string | undefined {
    let folder: OpenFolder | undefined;
    try {
      folder = new OpenFolder(dirname(this.path));
      return folder.read("config");
    } catch {
      return undefined;
    } finally {
      folder?.close();
    }
  }

  #restore(): void {
    try {
      this.#copies.replace("config", this.#same);
    } catch {
      // A command filled or broke the folder: its next use finds that the copy is not the file, and makes another one.
    }
  }
}

/** After that many the command is ended: a person does not change such settings so often while it runs. */
const maxRefusals = 3;

function dangersBetween(before: string, after: string | undefined): readonly string[] {
  if (after === before) return [];
  return after === undefined
    ? ["the settings cannot be read any more"]
    : dangersOf(before, after, { isDoubtful: true });
}
