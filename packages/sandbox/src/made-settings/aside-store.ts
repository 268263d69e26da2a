// Stores settings that were put aside, in the data folder, where no command reaches them. A person sees their content with its digest, and keeps exactly
// that: it comes back as new files.
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { FolderEntries, type TreeLimits } from "../files/folder-entries.ts";
import type { RuleName } from "../policy/policy.ts";

/** In the data folder. */
export const asideFolder = "put-aside";

/** A file or link of what was put aside. Names and targets are bytes, one in each character. */
type AsideEntry =
  | {
      readonly type: "file";
      readonly path: string;
      readonly mode: number;
      readonly size: number;
      readonly hash: string;
    }
  | { readonly type: "link"; readonly path: string; readonly target: string };

export interface AsideRecord {
  readonly id: string;
  /** The folder that it was made in: a workspace. */
  readonly folder: string;
  /** In that folder. */
  readonly path: string;
  /** Why it was put aside. */
  readonly rule: RuleName;
  readonly made_at: number;
  readonly digest: string;
  /** One with an empty path where it is a file itself. */
  readonly entries: readonly AsideEntry[];
}

export type KeepResult =
  | { readonly type: "kept"; readonly record: AsideRecord }
  | { readonly type: "missing" }
  /** Nothing was written; the reason is a sentence for the person. */
  | { readonly type: "refused"; readonly reason: string };

export interface SettingsTree {
  readonly digest: string;
  readonly entries: readonly AsideEntry[];
  readonly contents: ReadonlyMap<string, Buffer>;
}

const maxBytes = 8 * 1024 * 1024;
/** Storing has to be quick, because the process does nothing else in that time. */
export const treeLimits: TreeLimits = { entries: 200, depth: 20 };

/**
 * Reads what is at a path of a folder, links not followed. Undefined where that is more than is stored, or cannot be read. `path` is its name for the digest,
 * because the same text means another thing elsewhere.
 */
export function readTree(entries: FolderEntries, at: Buffer, path: string): SettingsTree | undefined {
  const files =
    entries.status(at)?.isDirectory() === true
      ? entries.readFiles(at, treeLimits, maxBytes)
      : [{ path: at, entry: entries.read(at, maxBytes) }];
  if (files === undefined) return undefined;
  const found: AsideEntry[] = [];
  const contents = new Map<string, Buffer>();
  for (const { path: file, entry } of files.toSorted((a, b) => Buffer.compare(a.path, b.path))) {
    const name = file.subarray(at.length + 1).toString("latin1");
    if (entry.type === "big_file" || entry.type === "unreadable") return undefined;
    if (entry.type === "link") found.push({ type: "link", path: name, target: entry.target.toString("latin1") });
    if (entry.type !== "file") continue; // a pipe or a socket has no content
    contents.set(name, entry.bytes);
    found.push({
      type: "file",
      path: name,
      mode: entry.mode & 0o777,
      size: entry.bytes.length,
      hash: hash(entry.bytes),
    });
  }
  return { digest: computeDigest(path, found), entries: found, contents };
}

/** Describes a folder as it was before the commands that run there now. */
export interface FolderNote {
  readonly folder: string;
  /** The settings that were there. */
  readonly present: readonly string[];
  readonly links: readonly (readonly [path: string, target: string])[];
  /** Their names: bytes, one in each character. */
  readonly editorWorkspaces: readonly string[];
}

export class AsideStore {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, asideFolder);
  }

  add(about: Pick<AsideRecord, "folder" | "path" | "rule">, tree: SettingsTree): AsideRecord {
    const id = randomUUID();
    const { folder, path, rule } = about;
    const record: AsideRecord = {
      id,
      folder,
      path,
      rule,
      made_at: Date.now(),
      digest: tree.digest,
      entries: tree.entries,
    };
    mkdirSync(this.#at(id), { recursive: true, mode: 0o700 });
    tree.entries.forEach((entry, index) => {
      const bytes = tree.contents.get(entry.path);
      if (bytes !== undefined) writeFileSync(this.#at(id, String(index)), bytes, { mode: 0o600 });
    });
    // Last: without it the rest does not count.
    writeFileSync(this.#at(id, recordName), JSON.stringify(record), { mode: 0o600 });
    return record;
  }

  /** Oldest first. */
  list(): readonly AsideRecord[] {
    return readNames(this.#folder)
      .flatMap((id) => this.find(id) ?? [])
      .toSorted((a, b) => a.made_at - b.made_at);
  }

  find(id: string): AsideRecord | undefined {
    if (!/^[0-9a-f-]{36}$/.test(id)) return undefined;
    try {
      return JSON.parse(readFileSync(this.#at(id, recordName), "utf8")) as AsideRecord; // written by `add`, in a folder of ours
    } catch {
      return undefined;
    }
  }

  /** The content of each file, in the order of the entries; null for a link. */
  readContents({ id, entries }: AsideRecord): readonly (Buffer | null)[] {
    return entries.map((entry, index) => (entry.type === "link" ? null : readFileSync(this.#at(id, String(index)))));
  }

  /** Puts it back where it was made, if it is what `digest` names and its place is free. Throws what the system throws. */
  keep(id: string, digest: string): KeepResult {
    const record = this.find(id);
    if (record === undefined) return { type: "missing" };
    const { folder, path, entries } = record;
    const contents = this.readContents(record);
    const isSame = entries.every((entry, index) => entry.type === "link" || hash(contents[index] ?? "") === entry.hash);
    if (!isSame || digest !== computeDigest(path, entries))
      return { type: "refused", reason: `${path} is not what was shown, so it was not kept. Look at it again.` };
    using place = new FolderEntries(folder).pinned();
    const at = Buffer.from(path);
    if (place.status(at) !== undefined && !place.removeEmptyFolder(at))
      return { type: "refused", reason: `${path} is there already. Remove that one first, or drop this one.` };
    this.#remember(join(folder, path), digest);
    entries.forEach((entry, index) => {
      const file = entry.path === "" ? at : Buffer.concat([at, Buffer.from("/"), Buffer.from(entry.path, "latin1")]);
      if (entry.type === "link") place.writeLink(file, Buffer.from(entry.target, "latin1"));
      else place.writeFile(file, contents[index] ?? Buffer.alloc(0), entry.mode);
    });
    this.drop(id);
    return { type: "kept", record };
  }

  drop(id: string): void {
    if (this.find(id) !== undefined) rmSync(this.#at(id), { recursive: true, force: true });
  }

  /** The digests of everything that a person kept at this path before. */
  listKept(where: string): readonly string[] {
    try {
      return readFileSync(this.#keptFile(where), "utf8").trim().split("\n");
    } catch {
      return [];
    }
  }

  /** Writes a note for the case that this process is killed. Gives its name. */
  addNote(note: FolderNote): string {
    const name = `${process.pid}-${randomUUID()}`;
    const write = () => writeFileSync(this.#at(notesFolder, name), JSON.stringify(note), { mode: 0o600 });
    try {
      write();
    } catch {
      ignoreFailure(() => {
        mkdirSync(this.#at(notesFolder), { recursive: true, mode: 0o700 });
        write();
      });
    }
    return name;
  }

  removeNote(name: string): void {
    rmSync(this.#at(notesFolder, name), { force: true });
  }

  /** The notes of processes that are gone. They are removed. */
  takeNotes(): readonly FolderNote[] {
    const left = readNames(this.#at(notesFolder)).filter((name) => !isRunning(Number.parseInt(name, 10)));
    return left.flatMap((name) => {
      try {
        return [JSON.parse(readFileSync(this.#at(notesFolder, name), "utf8")) as FolderNote]; // written by `addNote`
      } catch {
        return []; // the process was killed while it wrote, before it started anything
      } finally {
        this.removeNote(name);
      }
    });
  }

  #remember(where: string, digest: string): void {
    mkdirSync(this.#at(keptFolder), { recursive: true, mode: 0o700 });
    writeFileSync(this.#keptFile(where), `${digest}\n`, { flag: "a", mode: 0o600 });
  }

  #keptFile(where: string): string {
    return this.#at(keptFolder, hash(where));
  }

  #at(...names: readonly string[]): string {
    return join(this.#folder, ...names.map((name) => basename(name)));
  }
}

const recordName = "record.json";
const keptFolder = "kept";
const notesFolder = "running";

/** On a full disk a command runs without a note. */
function ignoreFailure(work: () => void): void {
  try {
    work();
  } catch {}
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function computeDigest(path: string, entries: readonly AsideEntry[]): string {
  return hash(JSON.stringify([path, entries]));
}

function hash(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing was ever put aside
  }
}
