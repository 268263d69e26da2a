// Reads files of a repository as git tracked them at one moment, whatever the disk says since. Git runs in the sandbox, read-only, because a repository's
// settings can name programs that git starts.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { createPolicy, repositoryOfWorktree, runCommand } from "@signalbox/sandbox";
import { machineEnforcement } from "../machine-enforcement.ts";

export interface TrackedFile {
  /** Relative to the folder; above it, it begins with `../`. */
  readonly path: string;
  /** Git's name for the content. */
  readonly id: string;
  readonly isLink: boolean;
}

interface TrackedPlace {
  readonly folder: string;
  /** Signalbox's own folder, which the sandbox hides. */
  readonly home: string;
}

const timeoutMs = 10_000;
const maxOutput = 8_000_000;

/** The nearest folder, this one or one above it, that has a `.git`; undefined where there is none. */
export function findRepository(folder: string): string | undefined {
  for (let each = folder; ; each = dirname(each)) {
    if (existsSync(join(each, ".git"))) return each;
    if (dirname(each) === each) return undefined;
  }
}

/** The files of these names, in any folder of the repository, that git tracks now. Undefined where git does not answer. */
export async function listTrackedFiles(
  place: TrackedPlace,
  names: readonly string[],
): Promise<readonly TrackedFile[] | undefined> {
  const pathspecs = names.map((name) => `:(top,glob)**/${name}`);
  const output = await (await openGit(place))(["ls-files", "--stage", "-z", "--", ...pathspecs]);
  return output?.split("\0").flatMap((line) => {
    // Stage 0: a file in the middle of a merge has no one text.
    const [, mode, id, path] = /^(100\d{3}|120000) ([0-9a-f]{40,64}) 0\t(.+)$/s.exec(line) ?? [];
    return id === undefined || path === undefined ? [] : [{ path, id, isLink: mode === "120000" }];
  });
}

/** Reads the bytes that git tracked. Undefined where the path is not one of these files, or they are gone. A link is followed to another of the files, once. */
type TrackedFileReader = (path: string) => Promise<Buffer | undefined>;

/** A reader of files that were listed, now or earlier. */
export async function openTrackedFiles(place: TrackedPlace, files: readonly TrackedFile[]): Promise<TrackedFileReader> {
  const run = await openGit(place);
  const listed = new Map(files.map((file) => [file.path, file]));
  const readFile = async (file: TrackedFile | undefined) => file && (await readBlob(run, file.id));
  return async (path) => {
    const file = listed.get(path);
    if (file?.isLink !== true) return await readFile(file);
    const target = await readFile(file);
    // Of a file that was not listed at the beginning it is not known what it was then.
    const led = target && listed.get(posix.join(posix.dirname(path), target.toString("utf8")));
    return led?.isLink === true ? undefined : await readFile(led);
  };
}

type RunGit = (args: readonly string[]) => Promise<string | undefined>;

async function openGit(place: TrackedPlace): Promise<RunGit> {
  const folder = await realpath(place.folder);
  const root = findRepository(folder) ?? folder;
  return (args) => runGit(args, { folder, root, home: place.home });
}

/** A command can replace an object's file, so its content must have the name that it had. */
async function readBlob(run: RunGit, id: string): Promise<Buffer | undefined> {
  const output = await run(["cat-file", "blob", id]);
  if (output === undefined) return undefined;
  const bytes = Buffer.from(output, "utf8");
  const hash = createHash(id.length === 64 ? "sha256" : "sha1")
    .update(`blob ${bytes.length}\0`)
    .update(bytes);
  return hash.digest("hex") === id ? bytes : undefined;
}

/** Gives the output of git; undefined where it fails or takes too long. */
async function runGit(
  args: readonly string[],
  { folder, root, home }: { readonly folder: string; readonly root: string; readonly home: string },
): Promise<string | undefined> {
  const repository = repositoryOfWorktree(root);
  let output = "";
  const stop = new AbortController();
  const ending = await runCommand({
    enforcement: await machineEnforcement(false),
    policy: createPolicy({
      mode: "rx",
      network: "off",
      workspaceFolders: repository === null ? [root] : [root, repository],
      dataFolder: home,
    }),
    command: ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", ...args],
    cwd: folder,
    env: {},
    timeout: timeoutMs,
    signal: stop.signal,
    onOutput: (text) => {
      output += text;
      if (output.length > maxOutput) stop.abort();
    },
  });
  return ending.ended === "exit" && ending.exitCode === 0 ? output : undefined;
}
