// Computes what a tool call would change, file by file, from the whole texts: those that the agent sent and those on the disk.
import { isUtf8 } from "node:buffer";
import { resolve } from "node:path";
import type { ChangedFile, Json, JsonObject } from "@signalbox/protocol";
import type { Subject } from "@signalbox/rules";
import { wholeValue } from "../data/whole-values.ts";
import { type Edit, editsInContent, editsInInput } from "./asked-edits.ts";
import { compareTexts, maxComparedLength } from "./compare-texts.ts";
import { readFileIfThere } from "./read-file.ts";
import type { ServedThread } from "./served-thread.ts";

/** As many as an answer can open; the question names no more. */
const maxFiles = 200;
const recentCalls = 100;

export async function changedFiles(
  thread: ServedThread,
  toolCall: JsonObject,
  known: JsonObject,
  { kind, targets }: Pick<Subject, "kind" | "targets">,
): Promise<readonly ChangedFile[]> {
  const edits = await editsOf(thread, toolCall, known);
  const byPath = new Map<string, Edit[]>();
  for (const edit of edits) {
    const path = resolve(thread.place.cwd, edit.path);
    byPath.set(path, [...(byPath.get(path) ?? []), edit]);
  }
  if (edits.length === 0 && kind === "delete") for (const path of targets) byPath.set(path, [deletionOf(path)]);
  const files: ChangedFile[] = [];
  for (const [path, ofFile] of [...byPath].slice(0, maxFiles)) files.push(...(await changesOf(thread, path, ofFile)));
  return files;
}

/** `known` is the call as it was announced before: its diffs are in the register. */
async function editsOf(thread: ServedThread, toolCall: JsonObject, known: JsonObject): Promise<readonly Edit[]> {
  const { rawInput } = known;
  const asked = editsInContent(toolCall.content, rawInput);
  if (asked.length > 0) return asked;
  const hasDiffs = Array.isArray(known.content) && known.content.length > 0;
  const announced = hasDiffs ? editsInContent(await storedContent(thread, known.toolCallId), rawInput) : [];
  return announced.length > 0 ? announced : editsInInput(known);
}

/** The content of a call in full, as the agent sent it last. */
async function storedContent({ register, place }: ServedThread, toolCallId: Json | undefined): Promise<Json> {
  await register.settled(place.threadId);
  const { rows } = await register.query("tool_calls.list", { thread_id: place.threadId, limit: recentCalls });
  const content = rows.find((row) => row.tool_call_id === toolCallId)?.content ?? [];
  return await wholeValue(register, [...content]);
}

type OnDisk =
  | { readonly type: "missing" }
  /** It cannot be read, or is too big. */
  | { readonly type: "unknown" }
  | { readonly type: "binary"; readonly size: number }
  | { readonly type: "text"; readonly text: string };

async function changesOf(thread: ServedThread, path: string, edits: readonly Edit[]): Promise<readonly ChangedFile[]> {
  const disk = await readDisk(thread, path);
  const last = edits.at(-1);
  if (disk.type === "binary" || edits.some(isBinary)) return [binaryChange(path, disk, last)];
  // Some agents read every line end as \n, and write it back as it was.
  for (const text of disk.type === "text" ? [disk.text, disk.text.replaceAll("\r\n", "\n")] : []) {
    const applied = applyAll(text, edits);
    if (applied === undefined) continue;
    const isDeletion = last?.isDeletion === true;
    return [await compared(path, text, isDeletion ? "" : applied, isDeletion ? "deleted" : "modified")];
  }
  if (disk.type === "missing" && edits.length === 1 && (last?.before ?? "") === "")
    return [await compared(path, null, last?.after ?? "", "added")];
  return await Promise.all(edits.map((edit) => asDescribed(path, edit, disk)));
}

/** The text after all edits; undefined where one of them does not fit it in exactly one way. */
function applyAll(text: string, edits: readonly Edit[]): string | undefined {
  let current = text;
  for (const { before, after, isEverywhere, isDeletion } of edits) {
    if (isDeletion || before === null || before === "" || before === current) current = after;
    else {
      const count = current.split(before).length - 1;
      if (count === 0 || (count > 1 && !isEverywhere)) return undefined;
      // A function: `$&` in the text means itself.
      current = isEverywhere ? current.replaceAll(before, () => after) : current.replace(before, () => after);
    }
  }
  return current;
}

/** The change as the agent describes it: the file on the disk does not say more. */
async function asDescribed(path: string, { before, after, isDeletion }: Edit, disk: OnDisk): Promise<ChangedFile> {
  const status = isDeletion ? "deleted" : before === null && disk.type === "missing" ? "added" : "modified";
  const change = await compared(path, before, after, status);
  if (disk.type === "unknown") return { ...change, added: null, removed: null, unread: true };
  if (before === null) return change;
  return disk.type === "text" && disk.text.includes(before) ? { ...change, part: true } : { ...change, outdated: true };
}

async function compared(
  path: string,
  before: string | null,
  after: string,
  status: ChangedFile["status"],
): Promise<ChangedFile> {
  const sizes = {
    old_size: before === null ? null : Buffer.byteLength(before),
    new_size: status === "deleted" ? null : Buffer.byteLength(after),
  };
  if ((before ?? "").length + after.length > maxComparedLength)
    return { path, status, hunks: [], added: null, removed: null, ...sizes, too_big: true };
  const { isRough, ...comparison } = await compareTexts(before ?? "", after);
  return { path, status, ...comparison, ...sizes, ...(isRough ? { rough: true } : {}) };
}

function binaryChange(path: string, disk: OnDisk, last: Edit | undefined): ChangedFile {
  const size = disk.type === "binary" ? disk.size : disk.type === "text" ? Buffer.byteLength(disk.text) : null;
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

async function readDisk(thread: ServedThread, path: string): Promise<OnDisk> {
  try {
    const bytes = await readFileIfThere(thread, path, maxComparedLength);
    if (bytes === undefined) return { type: "missing" };
    if (!isUtf8(bytes) || bytes.includes(0)) return { type: "binary", size: bytes.length };
    return { type: "text", text: bytes.toString("utf8") };
  } catch {
    // It may not be read, is a folder, or is too big: then only the agent says what changes.
    return { type: "unknown" };
  }
}

function deletionOf(path: string): Edit {
  return { path, before: null, after: "", isEverywhere: false, isDeletion: true };
}
