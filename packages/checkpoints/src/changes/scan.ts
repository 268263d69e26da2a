// Looks at all files of a repository, or of a folder without one, and gives their tree. Git compares with a private index, so that only files
// that changed since the last time are read. This is how the first checkpoint is made, and every one where changes cannot be watched.
import { accessSync, constants, existsSync, mkdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { copyPlainFile } from "@signalbox/sandbox";
import { isExecutable, type Modes } from "./checkpoint.ts";
import { findConvertedFiles, isAttributesFile } from "./converted-files.ts";
import { readEntryStatus } from "./entry-status.ts";
import { git, splitAtZeros } from "./git-process.ts";
import { explainBigFile, limits, notKeptLink, separateFloods } from "./guards.ts";
import { type BytePath, isModulesFile, toBytes, toText } from "./paths.ts";
import { fingerprint, hasOwnObjects, mayConvert, type Repository } from "./repository.ts";
import type { Store } from "./store.ts";

interface Scan {
  readonly tree: string;
  readonly notKept: ReadonlyMap<BytePath, NotKeptEntry>;
  /** Folders below that are repositories of their own. */
  readonly nested: readonly BytePath[];
  readonly files: readonly BytePath[];
}

/** Content that is not in the tree. */
export interface NotKeptEntry {
  readonly reason: string;
  /** Changes when the content does; null for a folder with too many files, of which the others are kept. */
  readonly signature: string | null;
}

export interface ScanOptions {
  readonly store: Store;
  readonly repository: Repository;
  /** The file with the rules of `writeIgnoreFile`. */
  readonly ignoreFile: string;
  readonly timeoutMs: number;
}

const sliceMs = 8;

export async function scan(options: ScanOptions): Promise<Scan> {
  const index = makeIndexPath(options);
  const isNew = !existsSync(index);
  if (isNew && (await copyUsersIndex(options, index))) {
    try {
      const found = await scanWithIndex(options, index);
      if (!found.files.some(isAttributesFile)) return found;
      // The bytes of a file that the user's git converts are not those that its index names.
      const converted = await findConvertedFiles(
        options.repository.folder,
        options.store,
        await listIndex(options, index),
      );
      if (converted !== null) return converted.length === 0 ? found : await readAgain(options, index, converted);
    } catch {
      // An index that is not as we expect it, such as one in the middle of a merge.
      options.store.removeLeftovers();
    }
    rmSync(index, { force: true });
  }
  try {
    return await scanWithIndex(options, index);
  } catch (error) {
    if (isNew) throw error;
    // It may be damaged: the host may have been killed while it was written. Or the disk was full, and an unfinished object is left.
    rmSync(index, { force: true });
    options.store.removeLeftovers();
    return await scanWithIndex(options, index);
  }
}

/** Reads these files again, whatever the index says of them. */
async function readAgain(options: ScanOptions, index: string, paths: readonly BytePath[]): Promise<Scan> {
  await updateIndex(options, index, ["--force-remove"], paths);
  await updateIndex(options, index, ["--add", "--remove"], paths);
  return await scanWithIndex(options, index);
}

async function updateIndex(options: ScanOptions, index: string, way: readonly string[], paths: readonly BytePath[]) {
  if (paths.length === 0) return;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
  await git(["update-index", ...way, "-z", "--stdin"], { ...makeGitCall(options, index), input });
}

interface IndexEntry {
  readonly path: BytePath;
  readonly sha: string;
  readonly isRepository: boolean;
}

async function listIndex(options: ScanOptions, index: string): Promise<readonly IndexEntry[]> {
  const lines = splitAtZeros(await git(["ls-files", "-z", "--stage"], makeGitCall(options, index)));
  return lines.map((line) => ({
    path: line.slice(line.indexOf("\t") + 1),
    sha: line.split(" ", 2)[1] ?? "",
    isRepository: line.startsWith("160000"),
  }));
}

/** Folders that are ignored as a whole. */
export async function listIgnoredFolders(options: ScanOptions): Promise<readonly BytePath[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  const own = makeIndexPath(options);
  const { user } = options.repository;
  // Before the first look, the user's own index says which files are tracked. It is only read.
  const index = existsSync(own) || user === null ? own : join(user.gitDir, "index");
  const found = splitAtZeros(await git(args, makeGitCall(options, index)));
  return found.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
}

/** The paths among these that are ignored. A tracked file is not, whatever the rules say. */
export async function findIgnored(options: ScanOptions, paths: readonly BytePath[]): Promise<ReadonlySet<BytePath>> {
  // Git reads all of the index to know what is tracked, which takes long in a large repository: only if a rule speaks at all.
  const byRules = paths.length === 0 ? [] : await askIgnored(options, ["--no-index"], paths);
  return new Set(byRules.length === 0 ? [] : await askIgnored(options, [], byRules));
}

async function askIgnored(
  options: ScanOptions,
  flags: readonly string[],
  paths: readonly BytePath[],
): Promise<readonly BytePath[]> {
  const output = await git(["check-ignore", ...flags, "-z", "--stdin"], {
    ...makeGitCall(options, makeIndexPath(options)),
    input: Buffer.from(paths.map((path) => `./${path}\0`).join(""), "latin1"),
    codes: [0, 1],
    isLiteral: false,
  });
  return splitAtZeros(output).map((path) => path.slice(2));
}

/** The permission bits of files: what new ones get, and those with others. In slices, so that other work goes on. */
export async function readModes(folder: string, files: Iterable<BytePath>): Promise<Modes> {
  const bits = new Map<BytePath, number>();
  let sliceStart = performance.now();
  const root = Buffer.from(`${folder}/`);
  for (const path of files) {
    const status = readEntryStatus(Buffer.concat([root, toBytes(path)]));
    if (status?.isFile() !== true) continue;
    const mode = Number(status.mode) & 0o7777;
    bits.set(path, mode);
    if (performance.now() - sliceStart < sliceMs) continue;
    await setImmediate();
    sliceStart = performance.now();
  }
  const mask = process.umask();
  const [file, program] = [0o666 & ~mask, 0o777 & ~mask];
  return {
    file,
    program,
    odd: new Map([...bits].filter(([, mode]) => mode !== (isExecutable(mode) ? program : file))),
  };
}

async function scanWithIndex(options: ScanOptions, index: string): Promise<Scan> {
  const { repository, store } = options;
  const call = makeGitCall(options, index);
  const args = ["ls-files", "-z", "-t", "--modified", "--deleted", "--others", "--exclude-standard"];
  const listed = splitAtZeros(await git(args, call));
  const tracked = existsSync(index) ? new Set<BytePath>() : await listAllTracked(options);
  const untracked = new Set<BytePath>();
  const changed = new Set<BytePath>();
  const nested = new Set<BytePath>();
  for (const line of listed) {
    const [tag, path] = [line[0], line.slice(2)];
    if (path.endsWith("/")) nested.add(path.slice(0, -1));
    else if (tag === "?" && !tracked.has(path)) untracked.add(path);
    else changed.add(path);
  }
  const notKept = new Map<BytePath, NotKeptEntry>();
  const { kept, floods } = separateFloods([...untracked], repository.user === null && !existsSync(index));
  for (const { folder, count } of floods) {
    const reason = `${count} new files are more than are kept.`;
    notKept.set(folder === "" ? "." : folder, { reason, signature: null });
  }
  const usersOwn = await listLargeTracked(repository, [...changed], options.timeoutMs);
  const add: BytePath[] = [];
  const drop: BytePath[] = [];
  for (const path of [...kept, ...changed]) {
    const problem = findProblem(repository.folder, path, usersOwn.has(path));
    if (problem === null) add.push(path);
    else {
      notKept.set(path, problem);
      if (changed.has(path)) drop.push(path);
    }
  }
  mkdirSync(dirname(index), { recursive: true });
  await updateIndex(options, index, ["--add", "--remove"], add);
  await updateIndex(options, index, ["--force-remove"], drop);
  // An empty one too: what comes next is not seen for the first time.
  if (!existsSync(index)) await git(["read-tree", "--empty"], call);
  const files: BytePath[] = [];
  for (const { path, isRepository } of await listIndex(options, index)) {
    if (isRepository) nested.add(path);
    else files.push(path);
  }
  const tree = files.length === 0 && nested.size === 0 ? store.emptyTree : await writeTree(options, index);
  return { tree, notKept, nested: [...nested], files };
}

async function writeTree(options: ScanOptions, index: string): Promise<string> {
  const { folder, top } = options.repository;
  const prefix = relative(top, folder);
  const args = ["write-tree", ...(prefix === "" ? [] : [`--prefix=${prefix}/`])];
  return (await git(args, makeGitCall(options, index))).toString("latin1").trim();
}

/** Why the content of a file is not kept; null when it is. */
function findProblem(folder: string, path: BytePath, isUsersOwn: boolean): NotKeptEntry | null {
  const file = Buffer.concat([Buffer.from(`${folder}/`), toBytes(path)]);
  const status = readEntryStatus(file);
  if (status?.isSymbolicLink() === true && isModulesFile(path)) return { reason: notKeptLink, signature: notKeptLink };
  if (status?.isFile() !== true) return null;
  const size = Number(status.size);
  if (size > (isUsersOwn ? limits.trackedBytes : limits.untrackedBytes)) {
    return { reason: explainBigFile(size), signature: `${size} ${status.mtimeNs} ${status.ino}` };
  }
  try {
    accessSync(file, constants.R_OK);
    return null;
  } catch {
    return { reason: "It cannot be read.", signature: `unreadable ${status.mtimeNs} ${status.ino}` };
  }
}

/** In a new private index every file is new. Those that the user's own repository tracks are no flood, and may be larger. */
async function listAllTracked(options: ScanOptions): Promise<ReadonlySet<BytePath>> {
  const { user } = options.repository;
  const index = user === null ? "" : join(user.gitDir, "index");
  if (!existsSync(index)) return new Set();
  return new Set(splitAtZeros(await git(["ls-files", "-z", "--cached"], makeGitCall(options, index))));
}

/** Of these paths, the large ones that the user's own repository tracks. */
export async function listLargeTracked(
  { folder, user }: Repository,
  paths: readonly BytePath[],
  timeoutMs: number,
): Promise<ReadonlySet<BytePath>> {
  const large = paths.filter((path) => {
    const status = readEntryStatus(Buffer.concat([Buffer.from(`${folder}/`), toBytes(path)]));
    return status !== undefined && status.size > limits.untrackedBytes;
  });
  const asked = large.map((path) => toText(path)).filter((text) => text.isWellFormed());
  if (user === null || asked.length === 0) return new Set();
  return new Set(splitAtZeros(await git(["ls-files", "-z", "--cached", "--", ...asked], { cwd: folder, timeoutMs })));
}

/** Starts from the user's own index, which knows the state of every file: then nothing has to be read. False where that would not be exact. */
async function copyUsersIndex(options: ScanOptions, index: string): Promise<boolean> {
  const { repository } = options;
  const source = repository.user === null ? "" : join(repository.user.gitDir, "index");
  if (!existsSync(source) || !hasOwnObjects(repository) || (await mayConvert(repository))) return false;
  mkdirSync(dirname(index), { recursive: true });
  const { mtimeMs } = statSync(source);
  copyPlainFile(source, index);
  // Git reads files again that were changed within the moment in which the index was written. Rounded down, which only makes it read more.
  const seconds = Math.floor(mtimeMs / 1000);
  utimesSync(index, seconds, seconds);
  const flags = splitAtZeros(await git(["ls-files", "-z", "-v"], makeGitCall(options, index)));
  // Files that the user told git not to look at.
  const isExact = !flags.some((line) => /^[a-zS]/.test(line));
  if (!isExact) rmSync(index, { force: true });
  return isExact;
}

function makeIndexPath({ store, repository }: ScanOptions): string {
  return join(store.path, "indexes", fingerprint(repository.folder));
}

function makeGitCall({ store, repository, ignoreFile, timeoutMs }: ScanOptions, index: string) {
  return {
    gitDir: store.path,
    workTree: repository.top,
    index,
    cwd: repository.folder,
    settings: { added: { "core.excludesFile": ignoreFile } },
    timeoutMs,
  };
}
