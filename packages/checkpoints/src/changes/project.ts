// Makes the checkpoints of one folder, one after the other. The first looks at all files; the next ones read only what the watch says has
// changed, so that their cost does not depend on how many files there are. Where nothing can be watched, each looks at all files.

import { join } from "node:path";
import { SerialQueue } from "@signalbox/base";
import { messageOf } from "@signalbox/protocol";
import { FolderEntries, FolderWatch } from "@signalbox/sandbox";
import { type Checkpoint, isExecutable } from "./checkpoint.ts";
import type { ImportedEntry } from "./fast-import.ts";
import { GitError } from "./git-process.ts";
import { explainBigFile, limits, notKeptLink } from "./guards.ts";
import { type BytePath, isBelow, isInGitFolder, isModulesFile, toBytes, toText } from "./paths.ts";
import { findRepository, type Repository, writeIgnoreFile } from "./repository.ts";
import {
  findIgnored,
  listIgnoredFolders,
  listLargeTracked,
  type NotKeptEntry,
  readModes,
  type ScanOptions,
  scan,
} from "./scan.ts";
import { Store } from "./store.ts";

export interface ProjectOptions {
  /** The real path of the folder. */
  readonly folder: string;
  readonly storePath: string;
  readonly dataFolder: string;
  /** The compiled helper that watches; undefined where there is none. */
  readonly helper: string | undefined;
  readonly promptScanMs?: number;
}

/** A repository below the folder and its path; the folder itself is the one with an empty path. */
interface KnownRepository {
  readonly path: BytePath;
  readonly options: ScanOptions;
}

interface Dirty {
  readonly changed: Set<BytePath>;
  readonly gone: Set<BytePath>;
}

const maxRepositories = 100;
/** More changes than this are found faster by looking at everything. */
const maxDirty = 2000;
const maxNewFolders = 500;
const scanTimeoutMs = 60_000;
/** Where nothing can be watched, all files are looked at before a prompt too, unless the last time took longer than this. */
const maxPromptScanMs = 250;

export class Project {
  readonly #options: ProjectOptions;
  readonly entries: FolderEntries;
  #repositories: readonly KnownRepository[] = [];
  #current: Checkpoint | null = null;
  #watch: FolderWatch | null = null;
  #dirty: Dirty = { changed: new Set(), gone: new Set() };
  #needsScan = false;
  #lastScanMs = 0;
  readonly #queue = new SerialQueue();
  #store: Store | null = null;
  #isClosed = false;

  constructor(options: ProjectOptions) {
    this.#options = options;
    this.entries = new FolderEntries(options.folder);
  }

  /** The repository of the folder; only after `open`. */
  get repository(): Repository | null {
    return this.#repositories[0]?.options.repository ?? null;
  }

  get storeIfOpen(): Store | null {
    return this.#store;
  }

  get store(): Store {
    if (this.#store === null) throw new Error("the project is not open");
    return this.#store;
  }

  /** Makes the first checkpoint. Throws when that is not possible. */
  open(): Promise<void> {
    return this.#run(async () => {
      const repository = await findRepository(this.#options.folder);
      this.#store = Store.open(this.#options.storePath, repository.user?.format ?? "sha1");
      await this.#lookAtAll("refs/checkpoints/first", repository, true);
    });
  }

  /** The folder as it is now, kept under `ref`. Before a prompt, only what is quick is done. */
  makeCheckpoint(ref: string, moment: "before" | "after"): Promise<Checkpoint> {
    return this.#run(() => this.#makeCheckpoint(ref, moment));
  }

  /** Runs one thing after the other; `now` makes a checkpoint of the present. */
  runInTurn<Result>(work: (now: (ref: string) => Promise<Checkpoint>) => Promise<Result>): Promise<Result> {
    return this.#run(() => work((ref) => this.#makeCheckpoint(ref, "after")));
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    return await this.#queue.run(async () => {
      try {
        return await work();
      } catch (error) {
        this.#store?.removeLeftovers();
        throw error;
      }
    });
  }

  async #makeCheckpoint(ref: string, moment: "before" | "after"): Promise<Checkpoint> {
    const current = this.#current;
    const repository = this.repository;
    if (current === null || repository === null) throw new Error("the first checkpoint could not be made");
    if (this.#watch !== null) await this.#drain(this.#watch);
    else if (moment === "after" || this.#lastScanMs <= (this.#options.promptScanMs ?? maxPromptScanMs))
      this.#needsScan = true;
    const isMuch = this.#dirty.changed.size + this.#dirty.gone.size > maxDirty;
    if (isMuch || (this.#needsScan && (moment === "after" || this.#watch === null))) {
      return await this.#lookAtAll(ref, repository, this.#needsScan && this.#watch !== null);
    }
    if (this.#dirty.changed.size + this.#dirty.gone.size === 0) {
      this.store.keep(ref, current);
      return current;
    }
    try {
      return await this.#addDirty(ref, current);
    } catch (error) {
      if (moment === "before") throw error;
      // Such as a folder of the user's repository whose objects were cleaned away.
      return await this.#lookAtAll(ref, repository, false);
    }
  }

  /** Records states that were just written: `made` is the present checkpoint with them. */
  replaceCurrent(made: Checkpoint): void {
    this.#current = made;
  }

  close(): void {
    this.#isClosed = true;
    this.#watch?.stop();
    this.#watch = null;
  }

  /** Looks at all files. With `shouldWatch` the watch begins anew before that, so that nothing is missed in between. */
  async #lookAtAll(ref: string, repository: Repository, shouldWatch: boolean): Promise<Checkpoint> {
    if (shouldWatch) await this.#startWatch(repository);
    const { tree, entries, files, notKept } = await this.#scanAll(repository);
    const modes = await readModes(this.#options.folder, files);
    const reasons = new Map([...notKept].map(([path, { reason }]) => [path, reason]));
    const made = await this.store.commit(ref, tree, { removed: [], entries, modes, notKept: reasons }, scanTimeoutMs);
    this.#current = made;
    this.#dirty = { changed: new Set(), gone: new Set() };
    this.#needsScan = false;
    return made;
  }

  async #scanAll(repository: Repository) {
    const start = performance.now();
    const { store } = this;
    const known: KnownRepository[] = [];
    const notKept = new Map<BytePath, NotKeptEntry>();
    const entries: [BytePath, ImportedEntry][] = [];
    const files: BytePath[] = [];
    const open: { readonly path: BytePath; readonly repository: Repository }[] = [{ path: "", repository }];
    let tree = store.emptyTree;
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { path: prefix, repository: here } = next;
      const toFullPath = (path: BytePath) => (prefix === "" ? path : `${prefix}/${path}`);
      try {
        const options = await this.#makeScanOptions(here);
        const objects = [...known.map((each) => each.options.repository), here].flatMap(
          ({ user }) => user?.objects ?? [],
        );
        store.borrowObjects([...new Set(objects)]);
        const found = await scan(options);
        known.push({ path: prefix, options });
        if (prefix === "") tree = found.tree;
        else entries.push([prefix, { type: "tree", sha: found.tree }]);
        for (const path of found.files) files.push(toFullPath(path));
        for (const [path, entry] of found.notKept) notKept.set(toFullPath(path), entry);
        for (const path of found.nested) {
          const below = await this.#findNestedRepository(toFullPath(path));
          if (below !== null && known.length + open.length < maxRepositories)
            open.push({ path: toFullPath(path), repository: below });
        }
      } catch (error) {
        // One that fails does not stop the others.
        if (prefix === "") throw error;
        notKept.set(prefix, { reason: `This repository could not be read: ${messageOf(error)}`, signature: null });
      }
    }
    for (const [path, { signature }] of notKept) {
      if (signature !== null)
        entries.push([path, { type: "not_kept", marker: store.hash("blob", Buffer.from(signature)) }]);
    }
    this.#repositories = known;
    this.#lastScanMs = performance.now() - start;
    return { tree, entries, files, notKept };
  }

  async #findNestedRepository(path: BytePath): Promise<Repository | null> {
    const name = toText(path);
    if (!name.isWellFormed()) return null;
    const folder = join(this.#options.folder, name);
    const status = this.entries.status(toBytes(path));
    if (status?.isDirectory() !== true) return null;
    const found = await findRepository(folder);
    return found.user !== null && found.top === folder && found.user.format === this.store.format ? found : null;
  }

  /** Without a watch, each checkpoint looks at all files. */
  async #startWatch(repository: Repository): Promise<void> {
    this.#watch?.stop();
    this.#watch = null;
    const { helper, folder } = this.#options;
    if (helper === undefined || process.platform !== "linux" || this.#isClosed) return;
    const excluded = [...(await listIgnoredFolders(await this.#makeScanOptions(repository)))];
    for (const { path, options } of this.#repositories.slice(1)) {
      for (const ignored of await listIgnoredFolders(options)) excluded.push(`${path}/${ignored}`);
    }
    const watch = new FolderWatch(helper, folder);
    try {
      if (await watch.watchAll(excluded)) {
        this.#watch = watch;
        return;
      }
    } catch {
      // It could not be started.
    }
    watch.stop();
  }

  async #makeScanOptions(repository: Repository): Promise<ScanOptions> {
    const ignoreFile = await writeIgnoreFile(repository, this.store.path, this.#options.dataFolder);
    return { store: this.store, repository, ignoreFile, timeoutMs: scanTimeoutMs };
  }

  /** Adds what has changed since the last time. */
  async #drain(watch: FolderWatch): Promise<void> {
    const found = new Set<BytePath>();
    let folders = 0;
    try {
      for (let next = await watch.drain(); ; next = await watch.drain()) {
        if (!next.isComplete) this.#needsScan = true;
        for (const path of next.changed) if (!isInGitFolder(path)) found.add(path);
        for (const path of next.goneFolders) if (!isInGitFolder(path)) this.#dirty.gone.add(path);
        folders += next.newFolders.length;
        if (next.newFolders.length === 0 || folders > maxNewFolders) break;
        const ignored = await this.#findIgnored(next.newFolders);
        for (const path of next.newFolders) if (!ignored.has(path)) watch.addFolder(path);
      }
      if (folders > maxNewFolders) this.#needsScan = true;
      const ignored = found.size > maxDirty ? new Set<BytePath>() : await this.#findIgnored([...found]);
      for (const path of ignored) found.delete(path);
    } catch (error) {
      // Git failed, or the helper is gone.
      this.#needsScan = true;
      if (!(error instanceof GitError)) {
        watch.stop();
        this.#watch = null;
      }
    }
    for (const path of found) this.#dirty.changed.add(path);
    if ([...found].some((path) => /(?:^|\/)\.git(?:ignore|modules)$/.test(path))) this.#needsScan = true;
  }

  /** A path that no longer exists, or is behind a link now, counts as removed and not as ignored. */
  async #findIgnored(paths: readonly BytePath[]): Promise<ReadonlySet<BytePath>> {
    const ignored = new Set<BytePath>();
    const there = paths.filter((path) => this.entries.status(toBytes(path)) !== undefined);
    for (const { path: prefix, options } of this.#repositories) {
      const own = there.filter((path) => this.#findRepositoryPath(path) === prefix);
      const below = own.map((path) => (prefix === "" ? path : path.slice(prefix.length + 1)));
      for (const path of await findIgnored(options, below)) ignored.add(prefix === "" ? path : `${prefix}/${path}`);
    }
    return ignored;
  }

  /** The path of the innermost repository that a path is in. */
  #findRepositoryPath(path: BytePath): BytePath {
    return this.#repositories
      .map((each) => each.path)
      .filter((prefix) => prefix !== path && isBelow(path, prefix))
      .reduce((longest, prefix) => (prefix.length > longest.length ? prefix : longest), "");
  }

  async #addDirty(ref: string, current: Checkpoint): Promise<Checkpoint> {
    const { store } = this;
    const { changed, gone } = this.#dirty;
    const removed = new Set<BytePath>(gone);
    const entries = new Map<BytePath, ImportedEntry>();
    const odd = new Map(current.modes.odd);
    const notKept = new Map(current.notKept);
    const again = new Set<BytePath>();
    for (const folder of gone) {
      for (const map of [odd, notKept]) for (const path of map.keys()) if (isBelow(path, folder)) map.delete(path);
    }
    for (const path of changed) {
      notKept.delete(path);
      odd.delete(path);
      const entry = this.entries.read(toBytes(path), await this.#chooseSizeLimit(path));
      switch (entry.type) {
        case "missing":
        case "folder":
        case "special":
          removed.add(path);
          break;
        case "link":
          if (isModulesFile(path)) {
            notKept.set(path, notKeptLink);
            entries.set(path, { type: "not_kept", marker: store.hash("blob", Buffer.from(notKeptLink)) });
          } else entries.set(path, entry);
          break;
        case "file": {
          const isProgram = isExecutable(entry.mode);
          entries.set(path, { type: "file", bytes: entry.bytes, isExecutable: isProgram });
          if (entry.mode !== (isProgram ? current.modes.program : current.modes.file)) odd.set(path, entry.mode);
          // It was written while it was read: the next checkpoint reads it again.
          if (!entry.isSettled) again.add(path);
          break;
        }
        case "big_file":
          notKept.set(path, explainBigFile(entry.size));
          entries.set(path, { type: "not_kept", marker: store.hash("blob", Buffer.from(entry.signature)) });
          break;
        case "unreadable":
          notKept.set(path, entry.reason);
          entries.set(path, { type: "not_kept", marker: store.hash("blob", Buffer.from(entry.reason)) });
          break;
      }
    }
    const modes = { ...current.modes, odd };
    const made = await store.commit(ref, current.tree, { removed, entries, modes, notKept });
    this.#current = made;
    this.#dirty = { changed: again, gone: new Set() };
    return made;
  }

  /** How big a file may be that is kept. */
  async #chooseSizeLimit(path: BytePath): Promise<number> {
    const size = this.entries.status(toBytes(path))?.size ?? 0;
    if (size <= limits.untrackedBytes) return limits.untrackedBytes;
    const prefix = this.#findRepositoryPath(path);
    const repository = this.#repositories.find((each) => each.path === prefix)?.options.repository;
    const own = prefix === "" ? path : path.slice(prefix.length + 1);
    const isTracked = repository !== undefined && (await listLargeTracked(repository, [own], scanTimeoutMs)).has(own);
    return isTracked ? limits.trackedBytes : limits.untrackedBytes;
  }
}
