// Lets a command change a repository's settings without being obeyed: inside, `.git/config` is a link to a copy. When the command has ended, the
// harmless changes of the copy are carried over to the file, key by key. Programs outside never see what was not checked.
import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openFileSync } from "../files/open-file.ts";
import { makeTemporaryFolder } from "../temporary-folder.ts";
import { nameKey, readConfig } from "./config-text.ts";
import { findDangers, mergeSettings } from "./merge-settings.ts";
import { OpenFolder } from "./open-folder.ts";

/** A process that was killed leaves its copies behind. */
const maxAgeMs = 2 * 24 * 60 * 60 * 1000;
/** Git itself locks the settings so, for about a millisecond. A lock that is older was left behind. */
const lockName = "config.lock";
const maxLockMs = 2000;
const lockRetryMs = 5;

interface CopiesFolder {
  readonly path: string;
  readonly folder: OpenFolder;
}

/** One of this process for each temp folder: making one costs more than everything else here. */
const copiesFolders = new Map<string, CopiesFolder>();

function openCopies(tempFolder: string): CopiesFolder {
  const known = copiesFolders.get(tempFolder);
  if (known?.folder.isAt(known.path) === true) return known; // a command could have moved it
  const path = makeTemporaryFolder(tempFolder, "signalbox-git-", maxAgeMs);
  const made = { path, folder: new OpenFolder(path) };
  copiesFolders.set(tempFolder, made);
  return made;
}

export class SettingsCopy {
  /** The file that the command must not write. */
  readonly path: string;
  /** The file that it writes instead. */
  readonly target: string;
  readonly #git: OpenFolder;
  readonly #copies: OpenFolder;
  /** The file that is guarded. It stays open, so that no other file gets its number. */
  readonly #guarded: number;
  /** The settings as copy and file were when both were last the same. */
  #same: string;
  #isOpen = true;

  /** Throws where the settings cannot be copied: then they stay closed. */
  constructor(path: string, tempFolder: string) {
    this.path = path;
    this.#git = new OpenFolder(dirname(path));
    const text = this.#git.read("config");
    if (text === undefined) {
      this.#git[Symbol.dispose]();
      throw new Error(`${path} cannot be read`);
    }
    this.#same = text;
    this.#guarded = openFileSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const copies = openCopies(tempFolder);
    this.#copies = copies.folder;
    this.target = join(copies.path, `config-${randomUUID()}`);
    this.#copies.create(basename(this.target), text);
  }

  /**
   * Names of what is not harmless and differs since another program replaced the file. The kernel takes the guard away then, for an instant, so the
   * command may have written it. A file that was not replaced could be written by programs outside only.
   */
  findDoubts(): readonly string[] {
    const found = this.#git.readFile("config");
    const known = fstatSync(this.#guarded);
    if (found === undefined) return ["the settings cannot be read any more"];
    if (found.status.ino === known.ino && found.status.dev === known.dev) return [];
    // Without a name it was replaced while it was read; the next look finds the newer one.
    return found.status.nlink > 1 ? ["the file has a second name"] : findDangers(this.#same, found.text);
  }

  /** Once nothing inside can write any more: makes doubtful settings as they were. Gives them as they were found, for the person. */
  async takeBack(): Promise<readonly string[]> {
    const restore = () => {
      const doubts = this.findDoubts();
      if (doubts.length === 0) return [];
      const now = this.#git.read("config") ?? "";
      const { text } = mergeSettings(this.#same, now, this.#same, { canRemove: false });
      // A new file: the command may have made a second name for the one that is there.
      this.#git.replace("config", text, fstatSync(this.#guarded).mode & 0o777);
      return doubts.map((name) => describeFound(name, now));
    };
    if (this.findDoubts().length === 0) return [];
    try {
      return await this.#whileLocked(restore).catch(restore); // a lock does not hold this up: the command may have made it
    } catch {
      return ["which could not be put back: look at the file before you use git there"];
    }
  }

  /** Carries harmless changes over. Gives those that are not carried over, or why nothing is. */
  async settle(): Promise<readonly string[]> {
    if (!this.#isOpen) return [];
    try {
      const copy = this.#copies.read(basename(this.target));
      const now = this.#git.read("config");
      if (copy === undefined || now === undefined) return this.#giveUp("the settings cannot be read any more");
      const merge = mergeSettings(this.#same, copy, now);
      if (merge.text !== now) return await this.#whileLocked(() => this.#carryOver());
      this.#follow(copy, now);
      return merge.dropped;
    } catch (error) {
      const isLocked = (error as NodeJS.ErrnoException).code === "EEXIST";
      return this.#giveUp(isLocked ? `${lockName} exists` : "the settings cannot be written");
    }
  }

  /** When the command has ended; `settle` must be called before. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#guarded);
    this.#git[Symbol.dispose]();
    this.#copies.removeIfFile(basename(this.target));
  }

  /** The settings may be others than a moment ago, when they were not locked yet. */
  #carryOver(): readonly string[] {
    const copy = this.#isOpen ? this.#copies.read(basename(this.target)) : undefined;
    if (copy === undefined) return [];
    let dropped: readonly string[] = [];
    this.#git.change("config", (now) => {
      const merge = mergeSettings(this.#same, copy, now);
      dropped = merge.dropped;
      this.#follow(copy, merge.text);
      return merge.text;
    });
    return dropped;
  }

  /** Throws EEXIST where another program keeps the lock. */
  async #whileLocked<Result>(act: () => Result): Promise<Result> {
    for (const until = Date.now() + maxLockMs; ; await setTimeout(lockRetryMs)) {
      try {
        return this.#git.whileLocked(lockName, act);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST" || Date.now() > until) throw error;
      }
    }
  }

  /** The command sees the settings as they are now, unless it may have written them itself. */
  #follow(copy: string, now: string): void {
    if (this.findDoubts().length > 0) return;
    this.#same = now;
    if (copy !== now) this.#restore();
  }

  #giveUp(problem: string): readonly string[] {
    this.#restore();
    return [problem];
  }

  #restore(): void {
    try {
      this.#copies.replace(basename(this.target), this.#same);
    } catch {
      // The command filled or broke the folder: git inside finds no settings then.
    }
  }
}

/** The values that a key has, for a person who wants them: written by nobody knows whom, so without anything that a terminal obeys. */
function describeFound(name: string, text: string): string {
  const values = readConfig(text)?.filter((entry) => nameKey(entry) === name) ?? [];
  return [name, ...values.map(({ value = "" }) => JSON.stringify(value.slice(0, maxShownValue)))].join(" ");
}

const maxShownValue = 200;
