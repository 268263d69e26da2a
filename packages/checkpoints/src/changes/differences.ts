// Finds what differs between checkpoints. Any number of pairs costs one or two processes: a thread may have hundreds of turns.
import { type Checkpoint, type FileState, isExecutable, type PathChange, readFileState } from "./checkpoint.ts";
import { git, splitAtZeros } from "./git-process.ts";
import type { BytePath } from "./paths.ts";

export type Pair = readonly [before: Checkpoint, after: Checkpoint];

/** More paths than this are not compared with each other to find renames. */
const maxRenames = 500;
const newline = 0x0a;

/** By pair, in order: what differs, by path. */
export async function findDifferences(
  gitDir: string,
  pairs: readonly Pair[],
  withRenames: boolean,
): Promise<readonly (readonly PathChange[])[]> {
  const found = await compareTrees(gitDir, pairs, withRenames);
  await addModeChanges(gitDir, pairs, found);
  return found.map((changes) => [...changes.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)));
}

/** Finds the differences that git's trees show. */
async function compareTrees(gitDir: string, pairs: readonly Pair[], withRenames: boolean) {
  const found = pairs.map(() => new Map<BytePath, PathChange>());
  const differing = [...pairs.entries()].filter(([, [before, after]]) => before.tree !== after.tree);
  if (differing.length === 0) return found;
  const renames = withRenames ? ["-M", `-l${maxRenames}`] : ["--no-renames"];
  const input = differing.map(([, [before, after]]) => `${before.tree} ${after.tree}\n`).join("");
  const output = await git(["diff-tree", "--stdin", "-r", "-z", "--raw", ...renames], { gitDir, input });
  const parts = splitPairs(output);
  for (const [place, [index, [before, after]]] of differing.entries()) {
    for (const change of readChanges(parts[place] ?? [], before, after)) found[index]?.set(change.path, change);
  }
  return found;
}

/** Git prints a line with the two trees before the entries of each pair, and each entry begins with a colon. */
function splitPairs(output: Buffer): readonly (readonly string[])[] {
  const pairs: string[][] = [];
  for (let at = 0; at < output.length; ) {
    at = output.indexOf(newline, at) + 1;
    const start = at;
    while (output[at] === 0x3a) at = findEndOfEntry(output, at);
    pairs.push(splitAtZeros(output.subarray(start, at)));
  }
  return pairs;
}

/** An entry has its modes, ids and status, then a path, and for a rename two. */
function findEndOfEntry(output: Buffer, start: number): number {
  const pathAt = output.indexOf(0, start) + 1;
  const status = output.subarray(output.lastIndexOf(0x20, pathAt) + 1, pathAt).toString("latin1");
  const end = output.indexOf(0, pathAt) + 1;
  return status.startsWith("R") ? output.indexOf(0, end) + 1 : end;
}

function* readChanges(parts: readonly string[], before: Checkpoint, after: Checkpoint): Iterable<PathChange> {
  for (let at = 0; at < parts.length; ) {
    const [oldMode = "", newMode = "", oldSha = "", newSha = "", status = ""] = parts[at++]?.slice(1).split(" ") ?? [];
    const first = parts[at++] ?? "";
    const isRename = status.startsWith("R");
    const path = isRename ? (parts[at++] ?? "") : first;
    yield {
      path,
      ...(isRename ? { oldPath: first } : {}),
      before: readFileState(oldMode, oldSha, first, before.modes),
      after: readFileState(newMode, newSha, path, after.modes),
    };
  }
}

/** Files whose permission bits alone differ: git's trees hold only whether a file is a program. */
async function addModeChanges(
  gitDir: string,
  pairs: readonly Pair[],
  found: readonly Map<BytePath, PathChange>[],
): Promise<void> {
  const asked: { readonly tree: string; readonly path: BytePath; readonly add: (sha: string) => void }[] = [];
  for (const [index, [before, after]] of pairs.entries()) {
    const changes = found[index];
    if (before.modes === after.modes || changes === undefined) continue;
    for (const path of new Set([...before.modes.odd.keys(), ...after.modes.odd.keys()])) {
      // A path without a change is the same entry in both trees: a file that has unusual permission bits in at least one of them.
      const [was, is] = changes.has(path) ? [0, 0] : readBits(path, before, after);
      if (was === is) continue;
      const add = (sha: string) =>
        changes.set(path, { path, before: makeFileState(was, sha), after: makeFileState(is, sha) });
      asked.push({ tree: after.tree, path, add });
    }
  }
  const shas = await findBlobs(gitDir, asked);
  for (const [index, { add }] of asked.entries()) {
    const sha = shas[index];
    if (typeof sha === "string") add(sha);
  }
}

function makeFileState(bits: number, sha: string): FileState {
  return { mode: 0o100000 | bits, sha };
}

function readBits(path: BytePath, { modes: then }: Checkpoint, { modes: now }: Checkpoint): readonly [number, number] {
  const isProgram = isExecutable(then.odd.get(path) ?? now.odd.get(path) ?? 0);
  const [was, is] = [then, now].map(({ odd, file, program }) => odd.get(path) ?? (isProgram ? program : file));
  return [was ?? 0, is ?? 0];
}

/** Git's ids of files in trees, in order; null for what is not there. */
async function findBlobs(
  gitDir: string,
  asked: readonly { readonly tree: string; readonly path: BytePath }[],
): Promise<readonly (string | null)[]> {
  const input = Buffer.from(
    asked
      .filter(isLine)
      .map(({ tree, path }) => `${tree}:${path}\n`)
      .join(""),
    "latin1",
  );
  const format = "--batch-check=%(objectname) %(objecttype)";
  const output = input.length === 0 ? input : await git(["cat-file", format], { gitDir, input });
  const answers = output.toString("latin1").split("\n").values();
  const found: (string | null)[] = [];
  for (const each of asked) {
    found.push(
      isLine(each)
        ? (/^([0-9a-f]+) blob$/.exec(answers.next().value ?? "")?.[1] ?? null)
        : await findBlob(gitDir, each.tree, each.path),
    );
  }
  return found;
}

function isLine({ path }: { readonly path: BytePath }): boolean {
  return !path.includes("\n");
}

/** A name with a line break cannot be a line. */
async function findBlob(gitDir: string, tree: string, path: BytePath): Promise<string | null> {
  const all = splitAtZeros(await git(["ls-tree", "-r", "-z", "--full-tree", tree], { gitDir }));
  const line = all.find((each) => each.slice(each.indexOf("\t") + 1) === path);
  const [, type, sha = null] = line?.slice(0, line.indexOf("\t")).split(" ") ?? [];
  return type === "blob" ? sha : null;
}
