// Makes the rows of changed files from two states of a path: counts of lines, hunks, what cannot be compared.
import { isUtf8 } from "node:buffer";
import type { ChangeDiffRow } from "@signalbox/protocol";
import { type FileState, notKeptMode, type PathChange } from "./checkpoint.ts";
import { compareTexts, maxComparedLength, maxComparedLines } from "./compare-texts.ts";
import { toText } from "./paths.ts";
import type { Store } from "./store.ts";

/** Texts that are compared for one list; beyond that, files are listed without counts. */
const maxListBytes = 64 * 1024 * 1024;
const newline = 0x0a;
const blobsPerCall = 50;
/** More changed lines than this are not shown: to send them would hold up everything else. */
const maxShownLines = 50_000;

/** A row for each change, in order. */
export async function describeChanges(store: Store, changes: readonly PathChange[]): Promise<readonly ChangeDiffRow[]> {
  const shas = changes.flatMap(({ before, after }) =>
    [before, after].flatMap((state) => (isStored(state) ? state.sha : [])),
  );
  const unique = [...new Set(shas)];
  const sizes = new Map((await store.readSizes(unique)).map((size, index) => [unique[index] ?? "", size]));
  const rows: ChangeDiffRow[] = [];
  let total = 0;
  for (let start = 0; start < changes.length; start += blobsPerCall) {
    const part = changes.slice(start, start + blobsPerCall);
    const wanted = part.filter((change) => {
      const size = sumSizes(change, sizes);
      total += size;
      return size <= maxComparedLength && total <= maxListBytes && !isSameContent(change);
    });
    const contents = await readContents(
      store,
      wanted.flatMap(({ before, after }) => [before, after]),
    );
    for (const change of part)
      rows.push(await describeChange(change, sizes, wanted.includes(change) ? contents : null));
  }
  return rows;
}

/** By git's id; null for what is not in the store any more. */
export type Contents = ReadonlyMap<string, Buffer | null>;

/** Reads the contents of these states together. */
export async function readContents(store: Store, states: readonly (FileState | null)[]): Promise<Contents> {
  const shas = [...new Set(states.filter(isStored).map(({ sha }) => sha))];
  const blobs = await store.readBlobs(shas);
  return new Map(shas.map((sha, index) => [sha, blobs[index] ?? null]));
}

async function describeChange(
  change: PathChange,
  sizes: ReadonlyMap<string, number | null>,
  contents: Contents | null,
): Promise<ChangeDiffRow> {
  const { path, oldPath, before, after } = change;
  const findSize = (state: FileState | null) => (isStored(state) ? (sizes.get(state.sha) ?? null) : null);
  const row = {
    path: toText(path),
    status: chooseStatus(change),
    ...(oldPath === undefined ? {} : { old_path: toText(oldPath) }),
    ...describeModes(change),
    old_size: findSize(before),
    new_size: findSize(after),
    binary: false,
  };
  const uncompared = { ...row, hunks: [], added: null, removed: null };
  if ([before, after].some((state) => state?.mode === notKeptMode)) {
    return { ...uncompared, too_big: true, not_kept: "Its content was not kept." };
  }
  if (isSameContent(change)) return { ...row, hunks: [], added: 0, removed: 0 };
  if (contents === null) return { ...uncompared, too_big: true };
  const [was, is] = [before, after].map((state) =>
    state === null ? Buffer.alloc(0) : (contents.get(state.sha) ?? null),
  );
  if (was === undefined || is === undefined || was === null || is === null) {
    return { ...uncompared, not_kept: "Its content is not in the store any more." };
  }
  if (![was, is].every(isText)) return { ...uncompared, binary: true };
  if (!canCompare(was, is)) return { ...uncompared, too_big: true };
  const { hunks, added, removed, isRough } = await compareTexts(was.toString("utf8"), is.toString("utf8"));
  if (added + removed > maxShownLines) return { ...row, hunks: [], added, removed, too_big: true };
  return { ...row, hunks, added, removed, ...(isRough ? { rough: true } : {}) };
}

/** Whether two contents are small enough: each line costs memory and time of its own. */
export function canCompare(before: Buffer, after: Buffer): boolean {
  if (before.length + after.length > maxComparedLength) return false;
  let lines = 0;
  for (const bytes of [before, after]) {
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1))
      if (++lines > maxComparedLines) return false;
  }
  return true;
}

export function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

function chooseStatus({ oldPath, before, after }: PathChange): ChangeDiffRow["status"] {
  if (before === null) return "added";
  if (after === null) return "deleted";
  return oldPath === undefined ? "modified" : "renamed";
}

function describeModes({ before, after }: PathChange): Pick<ChangeDiffRow, "old_mode" | "new_mode"> {
  const [old, now] = [before, after].map((state) => (state === null || state.mode === notKeptMode ? null : state.mode));
  return old === now || old === undefined || now === undefined ? {} : { old_mode: old, new_mode: now };
}

function isSameContent({ before, after }: PathChange): boolean {
  return before !== null && after !== null && before.sha === after.sha;
}

function isStored(state: FileState | null): state is FileState {
  return state !== null && state.mode !== notKeptMode;
}

function sumSizes({ before, after }: PathChange, sizes: ReadonlyMap<string, number | null>): number {
  return [before, after].reduce((sum, state) => sum + (isStored(state) ? (sizes.get(state.sha) ?? 0) : 0), 0);
}
