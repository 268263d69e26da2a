// Finds what a tool call would change, file by file: the texts that the agent sent, and those on the disk.
import { isUtf8 } from "node:buffer";
import { maxComparedLength } from "@signalbox/checkpoints/compare-texts";
import type { Json, JsonObject } from "@signalbox/protocol";
import type { Subject } from "@signalbox/rules";
import { readWholeValue } from "@signalbox/tinyvex";
import { type Edit, editsInContent, editsInInput } from "./asked-edits.ts";
import { compareFiles } from "./compare-in-worker.ts";
import type { DescribedChanges, EditedFile, OnDisk } from "./describe-changes.ts";
import { readFileIfThere } from "./read-file.ts";
import { realPath } from "./real-paths.ts";
import type { ThreadContext } from "./thread-context.ts";

/** As many as an answer can open; the question names no more. */
const maxFiles = 200;
const recentCalls = 100;

export async function changedFiles(
  thread: ThreadContext,
  toolCall: JsonObject,
  known: JsonObject,
  { kind, targets }: Pick<Subject, "kind" | "targets">,
): Promise<DescribedChanges> {
  const edits = await readEdits(thread, toolCall, known);
  const byPath = new Map<string, Edit[]>();
  for (const edit of edits) {
    // Where a link leads is what changes, whatever the agent calls it.
    const path = realPath(thread, edit.path);
    const ofPath = byPath.get(path);
    if (ofPath === undefined) byPath.set(path, [edit]);
    else ofPath.push(edit);
  }
  if (edits.length === 0 && kind === "delete") for (const path of targets) byPath.set(path, [makeDeletion(path)]);
  const files: EditedFile[] = [];
  // All files together: so much is in memory at the same time.
  let left = maxComparedLength;
  for (const [path, ofFile] of [...byPath].slice(0, maxFiles)) {
    const disk = await readDisk(thread, path, left);
    if (disk.type === "text") left -= disk.bytes.length;
    files.push({ path, disk, edits: ofFile });
  }
  return await compareFiles(files);
}

/** `known` is the call as it was announced before: its diffs are in the register. */
async function readEdits(thread: ThreadContext, toolCall: JsonObject, known: JsonObject): Promise<readonly Edit[]> {
  const { rawInput } = known;
  const asked = editsInContent(toolCall.content, rawInput);
  if (asked.length > 0) return asked;
  const hasDiffs = Array.isArray(known.content) && known.content.length > 0;
  const announced = hasDiffs ? editsInContent(await storedContent(thread, known.toolCallId), rawInput) : [];
  return announced.length > 0 ? announced : editsInInput(known);
}

/** The content of a call in full, as the agent sent it last. */
async function storedContent({ register, place }: ThreadContext, toolCallId: Json | undefined): Promise<Json> {
  await register.settled(place.threadId);
  const { rows } = await register.query("tool_calls.list", { thread_id: place.threadId, limit: recentCalls });
  const content = rows.find((row) => row.tool_call_id === toolCallId)?.content ?? [];
  return await readWholeValue(register, [...content]);
}

async function readDisk(thread: ThreadContext, path: string, limit: number): Promise<OnDisk> {
  try {
    const bytes = await readFileIfThere(thread, path, limit);
    if (bytes === undefined) return { type: "missing" };
    if (!isUtf8(bytes) || bytes.includes(0)) return { type: "binary", size: bytes.length };
    return { type: "text", bytes };
  } catch {
    // It may not be read, is a folder, or is too big: then only the agent says what changes.
    return { type: "unknown" };
  }
}

function makeDeletion(path: string): Edit {
  return { path, before: null, after: "", isEverywhere: false, isDeletion: true };
}
