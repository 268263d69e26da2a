// Lets commands change a repository's settings without being obeyed: inside, `.git/config` is a link to a copy. When a command ends the copy is
// compared with the file. A harmless change is carried over; any other is taken back. Programs outside never see what was not checked.
import { randomUUID } from "node:crypto";
import { lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeTemporaryFolder } from "../temporary-folder.ts";
import { dangersOf } from "./harmless-changes.ts";
import { changeSettings, linkAgain, linkSettings, readLinked, readSettings } from "./linked-settings.ts";
import { OpenFolder } from "./open-folder.ts";

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
  /** Whether they lie where no command can write them. Then what is there is what is trusted. */
  #isLinked: boolean;
  /** What was taken back, and not told yet. */
  #untold: readonly string[] = [];
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
    linkSettings(path);
    const settings = readSettings(path);
    if (settings === undefined) throw new Error(`${path} cannot be read`);
    const folder = makeTemporaryFolder(tempFolder, "signalbox-git-", maxAgeMs);
    this.target = join(folder, "config");
    this.#copies = new OpenFolder(folder);
    this.#same = settings.text;
    this.#trusted = settings.text;
    this.#isLinked = settings.isLinked;
    this.#mode = statSync(path).mode & 0o777;
    this.#file = lstatSync(path).ino;
    this.#restore();
  }

  /** The settings as they were when they were last looked at, without what a command may have written. */
  get text(): string {
    return this.#trusted;
  }

  /** Before a command: the copy is what the file is now. False where a command broke the copy's folder, or the file cannot be read. */
  refresh(): boolean {
    if (!this.#copies.isAt(dirname(this.target))) return false;
    const lines = this.settle();
    this.#untold = this.users === 0 ? [] : lines; // for those that run
    if (this.users === 0) linkSettings(this.path);
    const settings = readSettings(this.path);
    if (settings === undefined) return false;
    const { text, isLinked } = settings;
    const isCertain = this.users === 0 || (isLinked && this.#isLinked);
    if (!isCertain && dangersBetween(this.#trusted, text).length > 0) return false;
    this.#trusted = text;
    if (this.users === 0) {
      this.#refusals = 0;
      this.#wasReplaced = false;
      this.#isLinked = isLinked;
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
    const found = readSettings(this.path);
    // A person may have changed them before the link was replaced.
    if (this.#isLinked) this.#trusted = readLinked(this.path) ?? this.#trusted;
    if (this.#isLinked && found?.isLinked === true) return false;
    // Git reads what is there into the new file: after a refusal it may have carried over what stood there for a moment.
    const isCertain = text !== undefined && this.#refusals === 0;
    const now = isCertain ? text : found?.text;
    const dangers = isCertain ? [] : dangersBetween(this.#trusted, now);
    if (dangers.length === 0 && now !== undefined) {
      this.#trusted = now;
      this.#isLinked = false;
      return false;
    }
    const aside = this.#putBack(now);
    const line = [...dangers, `which was changed while another program replaced the file${aside}`].join(", ");
    this.#untold = [...this.#untold, line];
    return ++this.#refusals > maxRefusals;
  }

  /** When such a program has ended: it may have been killed before its last change was seen. */
  checkAgain(): void {
    const file = lstatSync(this.path, { throwIfNoEntry: false })?.ino;
    if (this.#wasReplaced || file !== this.#file) this.replaced(undefined);
  }

  /** After a command: gives what of the change was taken back, and why; empty where nothing was. */
  settle(): readonly string[] {
    const lines = [...this.#untold, ...this.#settleCopy()];
    this.#untold = [];
    return lines;
  }

  #settleCopy(): readonly string[] {
    const copy = this.#copies.read("config");
    if (copy === this.#same) {
      this.#followOutside();
      return [];
    }
    const dangers = copy === undefined ? ["the settings cannot be read any more"] : dangersOf(this.#same, copy);
    const problem = dangers.length > 0 || copy === undefined ? undefined : this.#carryOver(copy);
    if (dangers.length === 0 && problem === undefined) return [];
    this.#restore();
    this.#followOutside();
    return problem === undefined ? dangers : [problem];
  }

  /** What a person changed outside is what commands see, also those that run already. */
  #followOutside(): void {
    const text = this.#isLinked ? readLinked(this.path) : undefined;
    if (text === undefined || text === this.#same) return;
    this.#same = text;
    this.#trusted = text;
    this.#restore();
  }

  /** The copy is not used any more. */
  close(): void {
    this.#copies.close();
  }

  #carryOver(text: string): string | undefined {
    const isDone = changeSettings(this.path, this.#same, text);
    if (isDone === undefined) return "the settings are locked or cannot be written";
    if (!isDone) return "the settings were changed outside meanwhile";
    this.#same = text;
    this.#trusted = text;
    return undefined;
  }

  /** Gives where the text is now, to be read by a person. */
  #putBack(now: string | undefined): string {
    const name = `config.refused-${randomUUID().slice(0, 8)}`;
    const isDone = OpenFolder.within(dirname(this.path), (folder) => {
      if (now !== undefined) folder.replace(name, now);
      if (this.#isLinked) return linkAgain(this.path);
      folder.replace("config", this.#trusted, { mode: this.#mode });
      return true;
    });
    if (isDone !== true) return "; it could not be put back: look at the file before you use git there";
    return now === undefined ? "" : `; the refused text is in ${join(dirname(this.path), name)}`;
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
