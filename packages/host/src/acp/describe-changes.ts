// Describes what edits change in files: line by line, from the whole texts. Needs nothing but those, so that a worker can do it.

import { compareTexts, maxComparedLength, maxComparedLines } from "@signalbox/checkpoints/compare-texts";
import type { ChangedFile } from "@signalbox/protocol";
import type { Edit } from "./asked-edits.ts";

export type OnDisk =
  | { readonly type: "missing" }
  /** It cannot be read, or is too big. */
  | { readonly type: "unknown" }
  | { readonly type: "binary"; readonly size: number }
  /** UTF-8. */
  | { readonly type: "text"; readonly bytes: Uint8Array };

export interface EditedFile {
  readonly path: string;
  readonly disk: OnDisk;
  readonly edits: readonly Edit[];
}

export interface DescribedChanges {
  /** All of them, or only the beginning. */
  readonly hunks: readonly ChangedFile[];
  /** All of them as JSON, where `hunks` has only the beginning. */
  readonly allHunks: string | undefined;
}

/** More parts of one file than a person reads, and than can be applied in a short time. */
const maxEdits = 1000;
/** In bytes. More goes to a blob, and the row has the beginning. */
const maxRowHunks = 64 * 1024;
const maxPreview = 12 * 1024;
/** More changed lines than this are not shown: to store and send them would hold up everything else. */
const maxAllHunks = 8 * 1024 * 1024;

export async function describeChanges(files: readonly EditedFile[]): Promise<DescribedChanges> {
  const changes: ChangedFile[] = [];
  const budget = new Budget();
  for (const file of files) changes.push(...(await compareFile(file, budget)));
  return bound(changes);
}

/** How much there is to compare. */
export function sumLengths(files: readonly EditedFile[]): number {
  const lengths = files.map(({ disk, edits }) =>
    edits.reduce(
      (sum, { before, after }) => sum + (before?.length ?? 0) + after.length,
      disk.type === "text" ? disk.bytes.length : 0,
    ),
  );
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** What is known of files without a comparison. */
export function withoutComparison(files: readonly EditedFile[]): DescribedChanges {
  return { hunks: files.map(notCompared), allHunks: undefined };
}

function notCompared({ path, disk, edits }: EditedFile): ChangedFile {
  const last = edits.at(-1);
  const isWhole = last?.before === null;
  return {
    path,
    status: last?.isDeletion === true ? "deleted" : disk.type === "missing" ? "added" : "modified",
    hunks: [],
    added: null,
    removed: null,
    old_size: disk.type === "text" ? disk.bytes.length : null,
    new_size: isWhole && !last?.isDeletion ? Buffer.byteLength(last.after) : null,
    too_big: true,
  };
}

/** How much of all files together is compared. */
class Budget {
  #length = maxComparedLength;
  #lines = maxComparedLines;

  /** False when these texts are too much. */
  spend(before: string, after: string): boolean {
    const length = before.length + after.length;
    const lines = length > this.#length ? 0 : lineCount(before) + lineCount(after);
    if (length > this.#length || lines > this.#lines) return false;
    this.#length -= length;
    this.#lines -= lines;
    return true;
  }
}

async function compareFile(file: EditedFile, budget: Budget): Promise<readonly ChangedFile[]> {
  const { path, disk, edits } = file;
  const last = edits.at(-1);
  if (disk.type === "binary" || edits.some(isBinary)) return [binaryChange(path, disk, last)];
  if (edits.length > maxEdits) return [notCompared(file)];
  const text = disk.type === "text" ? Buffer.from(disk.bytes).toString("utf8") : undefined;
  // Some agents read every line end as \n, and write it back as it was.
  for (const each of text === undefined ? [] : [text, text.replaceAll("\r\n", "\n")]) {
    const applied = applyAll(each, edits);
    if (applied === undefined) continue;
    const isDeletion = last?.isDeletion === true;
    return [await compared(path, each, isDeletion ? "" : applied, isDeletion ? "deleted" : "modified", budget)];
  }
  if (disk.type === "missing" && edits.length === 1 && (last?.before ?? "") === "")
    return [await compared(path, null, last?.after ?? "", "added", budget)];
  const described: ChangedFile[] = [];
  for (const edit of edits) described.push(await asDescribed(path, edit, { disk, text }, budget));
  return described;
}

/** The text after all edits; undefined where one of them does not fit it in exactly one way. */
function applyAll(text: string, edits: readonly Edit[]): string | undefined {
  let current = text;
  for (const { before, after, isEverywhere, isDeletion } of edits) {
    if (isDeletion || before === null || before === "" || before === current) current = after;
    else {
      const first = current.indexOf(before);
      if (first < 0 || (!isEverywhere && current.includes(before, first + before.length))) return undefined;
      // A function: `$&` in the text means itself.
      current = isEverywhere ? current.replaceAll(before, () => after) : current.replace(before, () => after);
      if (current.length > maxComparedLength) return undefined;
    }
  }
  return current;
}

/** The change as the agent describes it: the file on the disk does not say more. */
async function asDescribed(
  path: string,
  edit: Edit,
  { disk, text }: { disk: OnDisk; text: string | undefined },
  budget: Budget,
): Promise<ChangedFile> {
  const { before, after, isDeletion } = edit;
  const status = isDeletion ? "deleted" : before === null && disk.type === "missing" ? "added" : "modified";
  const change = await compared(path, before, after, status, budget);
  if (disk.type === "unknown") return { ...change, added: null, removed: null, unread: true };
  if (before === null) return change;
  return text?.includes(before) === true ? { ...change, part: true } : { ...change, outdated: true };
}

async function compared(
  path: string,
  before: string | null,
  after: string,
  status: ChangedFile["status"],
  budget: Budget,
): Promise<ChangedFile> {
  const sizes = {
    old_size: before === null ? null : Buffer.byteLength(before),
    new_size: status === "deleted" ? null : Buffer.byteLength(after),
  };
  if (!budget.spend(before ?? "", after))
    return { path, status, hunks: [], added: null, removed: null, ...sizes, too_big: true };
  const { isRough, ...comparison } = await compareTexts(before ?? "", after);
  return { path, status, ...comparison, ...sizes, ...(isRough ? { rough: true } : {}) };
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function binaryChange(path: string, disk: OnDisk, last: Edit | undefined): ChangedFile {
  const size = disk.type === "binary" ? disk.size : disk.type === "text" ? disk.bytes.length : null;
  const isDeletion = last?.isDeletion === true;
  return {
    path,
    status: isDeletion ? "deleted" : disk.type === "missing" ? "added" : "modified",
    hunks: [],
    added: null,
    removed: null,
    old_size: size ?? (last?.before === null || last === undefined ? null : Buffer.byteLength(last.before)),
    new_size: isDeletion ? null : Buffer.byteLength(last?.after ?? ""),
    binary: true,
  };
}

function isBinary({ before, after }: Edit): boolean {
  return before?.includes("\0") === true || after.includes("\0");
}

function bound(files: readonly ChangedFile[]): DescribedChanges {
  const json = JSON.stringify(files);
  if (Buffer.byteLength(json) <= maxRowHunks) return { hunks: files, allHunks: undefined };
  if (json.length > maxAllHunks) return bound(withoutLargest(files));
  let left = maxPreview;
  const hunks = files.map((file) => {
    const fitting = file.hunks.filter((hunk) => {
      left -= JSON.stringify(hunk).length;
      return left >= 0;
    });
    return { ...file, hunks: fitting };
  });
  return { hunks, allHunks: json };
}

/** The counts stay: they are true. */
function withoutLargest(files: readonly ChangedFile[]): readonly ChangedFile[] {
  const sizes = files.map(({ hunks }) => hunks.reduce((sum, { lines }) => sum + lines.join("\n").length, 0));
  const largest = Math.max(...sizes);
  return files.map((file, index) => (sizes[index] === largest ? { ...file, hunks: [], too_big: true } : file));
}
