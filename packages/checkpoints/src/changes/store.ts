// Keeps checkpoints in a bare git repository of our own, one per folder, which borrows the objects of the user's repositories. A checkpoint is a
// commit without parents: its tree has the files, its message what git's trees cannot hold (all permission bits, what was not kept).
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { toFields } from "@signalbox/protocol";
import { type Checkpoint, type FileState, type Modes, type PathChange, readFileState } from "./checkpoint.ts";
import { findDifferences, type Pair } from "./differences.ts";
import { type ImportedEntry, makeImport } from "./fast-import.ts";
import { GitError, git, splitAtZeros } from "./git-process.ts";
import { type BytePath, fromText, toText } from "./paths.ts";

/** Of all contents that are read together. */
const maxReadBytes = 1024 * 1024 * 1024;

/** Git's unfinished objects and packs, its reports of crashes, its locks; and our own unfinished files. */
const leftover = /^(?:tmp_|fast_import_crash_)|\.(?:lock|new)$/;

export type ObjectFormat = "sha1" | "sha256";

export class Store {
  readonly path: string;
  readonly format: ObjectFormat;
  /** There may be content that no checkpoint needs. */
  hasForgotten = false;
  /** By commit, whose message and tree never change. */
  readonly #known = new Map<string, Checkpoint>();

  private constructor(path: string, format: ObjectFormat) {
    this.path = path;
    this.format = format;
  }

  /** Creates the repository if it is missing. One of another format is replaced, because its checkpoints are of no use here. */
  static open(path: string, format: ObjectFormat): Store {
    const stamp = join(path, "signalbox-format");
    if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== format) {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path, { recursive: true, mode: 0o700 });
      // The same files that `git init --bare` makes, without starting a process.
      for (const folder of ["info", "objects/info", "objects/pack", "refs"])
        mkdirSync(join(path, folder), { recursive: true });
      writeFileSync(join(path, "HEAD"), "ref: refs/heads/none\n");
      writeFileSync(join(path, "config"), makeConfig(format));
      // Content goes in and out byte for byte, whatever the attributes of a project say.
      writeFileSync(
        join(path, "info/attributes"),
        "* -text -eol -ident -crlf !filter !working-tree-encoding !diff !merge\n",
      );
      writeFileSync(stamp, format);
    }
    const store = new Store(path, format);
    store.removeLeftovers();
    return store;
  }

  /** The store in the folder; null when there is none. Changes nothing. */
  static openExisting(path: string): Store | null {
    const stamp = join(path, "signalbox-format");
    return existsSync(stamp) ? new Store(path, readFileSync(stamp, "utf8") === "sha256" ? "sha256" : "sha1") : null;
  }

  /** Removes the files of a git process that was killed or found the disk full. Only one process at a time writes to a store. */
  removeLeftovers(): void {
    if (!existsSync(this.path)) return;
    const names = readdirSync(this.path, { recursive: true, encoding: "utf8" });
    for (const name of names) if (leftover.test(basename(name))) rmSync(join(this.path, name), { force: true });
  }

  get emptyTree(): string {
    return this.hash("tree", Buffer.alloc(0));
  }

  /** Objects of these repositories need not be stored again. */
  borrowObjects(objectFolders: readonly string[]): void {
    const lines = objectFolders.map((folder) => `${JSON.stringify(folder)}\n`);
    writeAtomically(join(this.path, "objects/info/alternates"), lines.join(""));
  }

  /** Git's id of an object. */
  hash(type: "blob" | "tree", bytes: Uint8Array): string {
    return createHash(this.format).update(`${type} ${bytes.length}\0`).update(bytes).digest("hex");
  }

  /** Makes a checkpoint: `tree` with the differences. */
  async commit(
    ref: string,
    tree: string,
    changes: {
      readonly removed: Iterable<BytePath>;
      readonly entries: Iterable<readonly [BytePath, ImportedEntry]>;
      readonly modes: Modes;
      readonly notKept: ReadonlyMap<BytePath, string>;
    },
    timeoutMs?: number,
  ): Promise<Checkpoint> {
    const { removed, entries, modes, notKept } = changes;
    const message = JSON.stringify({
      file: modes.file,
      program: modes.program,
      odd: Object.fromEntries([...modes.odd].map(([path, mode]) => [toText(path), mode])),
      not_kept: Object.fromEntries([...notKept].map(([path, reason]) => [toText(path), reason])),
    });
    const input = makeImport({ ref, message, tree, removed, entries });
    const output = await git(["fast-import", "--quiet", "--done", "--force"], {
      gitDir: this.path,
      input,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }).catch((error: unknown) => {
      this.removeLeftovers();
      throw error;
    });
    const [commit = "", made = ""] = output.toString("latin1").split("\n");
    const checkpoint = { commit, tree: made.replace(/^040000 tree /, "").trim(), modes, notKept };
    this.#known.set(commit, checkpoint);
    return checkpoint;
  }

  /** Keeps a checkpoint under another name too. */
  keep(ref: string, { commit }: Checkpoint): void {
    writeAtomically(join(this.path, ref), `${commit}\n`);
  }

  /** Forgets the checkpoints of a thread. Their content goes when the store is cleaned. */
  forget(refFolder: string): void {
    rmSync(join(this.path, refFolder), { recursive: true, force: true });
    const packed = join(this.path, "packed-refs");
    if (existsSync(packed)) {
      const lines = readFileSync(packed, "utf8").split("\n");
      writeAtomically(packed, lines.filter((line) => !line.includes(` ${refFolder}/`)).join("\n"));
    }
    this.hasForgotten = true;
    this.#known.clear();
  }

  /** Throws a GitError when it is not there any more. */
  async readCheckpoint(commit: string): Promise<Checkpoint> {
    const [found] = await this.readCheckpoints([commit]);
    if (found === undefined) throw makeMissingError(commit);
    return found;
  }

  /** In order. Throws a GitError when one is not there any more. */
  async readCheckpoints(commits: readonly string[]): Promise<readonly Checkpoint[]> {
    const unknown = [...new Set(commits)].filter((commit) => !this.#known.has(commit));
    for (const [index, object] of (await this.#read(unknown)).entries()) {
      const commit = unknown[index] ?? "";
      if (object === null) throw makeMissingError(commit);
      const text = object.toString("utf8");
      const end = text.indexOf("\n\n");
      const tree = /^tree (\w+)/.exec(text)?.[1] ?? "";
      this.#known.set(commit, { commit, tree, ...readMessage(text.slice(end + 2)) });
    }
    return commits.flatMap((commit) => this.#known.get(commit) ?? []);
  }

  /** Finds the differences between two checkpoints, sorted by path. */
  async compare(before: Checkpoint, after: Checkpoint, withRenames = false): Promise<readonly PathChange[]> {
    const [found = []] = await findDifferences(this.path, [[before, after]], withRenames);
    return found;
  }

  /** Compares each checkpoint with the one at the same place of the other list, without looking for renames. */
  async compareAll(
    before: readonly Checkpoint[],
    after: readonly Checkpoint[],
  ): Promise<readonly (readonly PathChange[])[]> {
    const pairs = before.flatMap((each, index): Pair[] => {
      const other = after[index];
      return other === undefined ? [] : [[each, other]];
    });
    return await findDifferences(this.path, pairs, false);
  }

  /** The content of blobs, in order; null for one that is not there any more, or is not what its id says. */
  async readBlobs(shas: readonly string[]): Promise<readonly (Buffer | null)[]> {
    const found = await this.#read(shas);
    return found.map((bytes, index) => (bytes !== null && this.hash("blob", bytes) === shas[index] ? bytes : null));
  }

  /** The sizes of blobs, in order; null for one that is not there. */
  async readSizes(shas: readonly string[]): Promise<readonly (number | null)[]> {
    if (shas.length === 0) return [];
    const output = await git(["cat-file", "--batch-check"], { gitDir: this.path, input: `${shas.join("\n")}\n` });
    return output
      .toString("latin1")
      .trimEnd()
      .split("\n")
      .map((line) => {
        const [, type, size] = line.split(" ");
        return type === "blob" ? Number(size) : null;
      });
  }

  /** The state of some paths at a checkpoint, those that exist. */
  async readStates({ tree, modes }: Checkpoint, paths: readonly BytePath[]): Promise<ReadonlyMap<BytePath, FileState>> {
    const found = new Map<BytePath, FileState>();
    if (paths.length === 0) return found;
    const args = ["ls-tree", "-z", "--full-tree", tree, "--"];
    // Bytes that are no text cannot be arguments: then all of the tree is listed.
    const texts = paths.map((path) => toText(path));
    const wanted = texts.every((text) => text.isWellFormed()) && paths.length <= 200 ? texts : [];
    const all = splitAtZeros(
      await git(wanted.length > 0 ? [...args, ...wanted] : ["ls-tree", "-r", "-z", "--full-tree", tree], {
        gitDir: this.path,
      }),
    );
    const asked = new Set(paths);
    for (const line of all) {
      const tab = line.indexOf("\t");
      const path = line.slice(tab + 1);
      const [mode = "", , sha = ""] = line.slice(0, tab).split(" ");
      const state = readFileState(mode, sha, path, modes);
      if (state !== null && asked.has(path)) found.set(path, state);
    }
    return found;
  }

  /** All folders of a checkpoint. */
  async listFolders({ tree }: Checkpoint): Promise<ReadonlySet<BytePath>> {
    return new Set(
      splitAtZeros(await git(["ls-tree", "-r", "-d", "-z", "--name-only", "--full-tree", tree], { gitDir: this.path })),
    );
  }

  /** Copies objects that are only borrowed, so that they stay when the user's repository is cleaned. */
  async copyBorrowed(shas: readonly string[]): Promise<void> {
    // A pack for each turn would make every git slower, turn by turn.
    const borrowed = this.#hasAlternates() ? shas.filter((sha) => !this.#hasObjectFile(sha)) : [];
    if (borrowed.length === 0) return;
    const pack = join(this.path, "objects/pack/pack");
    mkdirSync(dirname(pack), { recursive: true });
    await git(["pack-objects", "--quiet", "--missing=allow-any", pack], {
      gitDir: this.path,
      input: `${borrowed.join("\n")}\n`,
    });
  }

  /** Trees and blobs of `before` that `after` has no more. */
  async listReplacedObjects(before: Checkpoint, after: Checkpoint): Promise<readonly string[]> {
    if (before.tree === after.tree) return [];
    const parts = splitAtZeros(
      await git(["diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", before.tree, after.tree], {
        gitDir: this.path,
      }),
    );
    const replaced = parts
      .filter((part) => part.startsWith(":") && !part.startsWith(":160000") && !part.startsWith(":000000"))
      .map((part) => part.split(" ")[2] ?? "");
    return [before.tree, ...new Set(replaced)];
  }

  #hasAlternates(): boolean {
    const file = join(this.path, "objects/info/alternates");
    return existsSync(file) && readFileSync(file, "utf8") !== "";
  }

  #hasObjectFile(sha: string): boolean {
    return existsSync(join(this.path, "objects", sha.slice(0, 2), sha.slice(2)));
  }

  async #read(shas: readonly string[]): Promise<readonly (Buffer | null)[]> {
    if (shas.length === 0) return [];
    const input = `${shas.join("\n")}\n`;
    const output = await git(["cat-file", "--batch"], { gitDir: this.path, input, maxOutputBytes: maxReadBytes });
    const found: (Buffer | null)[] = [];
    for (let at = 0; at < output.length; ) {
      const end = output.indexOf(0x0a, at);
      const [, type, size] = output.subarray(at, end).toString("latin1").split(" ");
      at = end + 1;
      if (type === "missing" || size === undefined) found.push(null);
      else {
        found.push(output.subarray(at, at + Number(size)));
        at += Number(size) + 1;
      }
    }
    return found;
  }
}

function makeMissingError(commit: string): GitError {
  return new GitError(`the checkpoint ${commit} is not in the store any more`);
}

function makeConfig(format: ObjectFormat): string {
  const version = format === "sha1" ? 0 : 1;
  const extension = format === "sha1" ? "" : `[extensions]\n\tobjectformat = ${format}\n`;
  return `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n${extension}`;
}

function readMessage(text: string): Pick<Checkpoint, "modes" | "notKept"> {
  const value: unknown = JSON.parse(text);
  const { file, program, odd, not_kept } = toFields(value);
  const numbers = Object.entries(toFields(odd)).map(([path, mode]) => [fromText(path), Number(mode)] as const);
  const reasons = Object.entries(toFields(not_kept)).map(
    ([path, reason]) => [fromText(path), typeof reason === "string" ? reason : ""] as const,
  );
  return {
    modes: { file: Number(file), program: Number(program), odd: new Map(numbers) },
    notKept: new Map(reasons),
  };
}

function writeAtomically(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}.new`;
  try {
    writeFileSync(unfinished, text);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
