// This module reads and writes files for agents that do so through the client. It opens a file first, decides about what was opened, and uses
// that: a link that is changed meanwhile changes nothing.
import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import {
  type ReadTextFileRequest,
  type ReadTextFileResponse,
  RequestError,
  type WriteTextFileRequest,
  type WriteTextFileResponse,
} from "@agentclientprotocol/sdk";
import type { JsonObject } from "@signalbox/protocol";
import { describeSubject, isWithin, type Subject } from "@signalbox/rules";
import { writeFileAtomic } from "@signalbox/sandbox";
import { fileBytesAnswer, hasFileBytes } from "@signalbox/tool-calls";
import { mapped, openIfThere, readAll, readFileIfThere } from "./read-file.ts";
import { nameInThread, realPath } from "./real-paths.ts";
import { requirePermission } from "./require-permission.ts";
import type { ThreadContext } from "./thread-context.ts";

/** An answer is made and sent as one piece, and everything else waits meanwhile. */
const maxContentBytes = 8 * 1024 * 1024;

/** `inTurn` runs what puts the content into memory, when the agent has taken what it asked for before. */
export async function readTextFile(
  thread: ThreadContext,
  params: ReadTextFileRequest,
  inTurn: <Result>(read: () => Promise<Result>) => Promise<Result> = (read) => read(),
): Promise<ReadTextFileResponse> {
  const path = assertAbsolute(params.path);
  const opened = await openIfThere(thread, path);
  await using handle = opened?.handle;
  const real = opened === undefined ? realPath(thread, path) : nameInThread(thread, opened.path);
  const shown = { title: makeTitle("Read", path, real), kind: "read", locations: [{ path }] };
  const isFree = isWithin(real, resolve(thread.place.cwd));
  await requirePermission(thread, { subject: fileSubject(thread, shown, path, real), description: shown, isFree });
  const unsaved = isFree && !hasFileBytes(params) ? await readInEditor(thread, real, params) : undefined;
  if (unsaved !== undefined) return unsaved;
  if (handle === undefined) {
    if (thread.readMissingFile() === "empty") return { content: "" };
    throw RequestError.resourceNotFound(path);
  }
  return await inTurn(() => readContent(handle, path, params));
}

async function readContent(
  handle: FileHandle,
  path: string,
  params: ReadTextFileRequest,
): Promise<ReadTextFileResponse> {
  if (hasFileBytes(params)) return fileBytesAnswer(await mapped(path, () => readAll(handle, path, maxContentBytes)));
  const bytes = await mapped(path, () => readAll(handle, path));
  // As text its other bytes would be lost, and an agent that changes a line of it would write it back without them.
  if (!isUtf8(bytes))
    throw RequestError.invalidRequest({ path }, "it is not UTF-8 text; read it with a command instead");
  const content = sliceLines(bytes, params.line ?? 1, params.limit ?? null);
  if (content.length > maxContentBytes) {
    const message = `the answer would have ${content.length} bytes; at most ${maxContentBytes} go into one: read it in parts, with line and limit`;
    throw RequestError.invalidRequest({ path }, message);
  }
  return { content: content.toString("utf8") };
}

export async function writeTextFile(
  thread: ThreadContext,
  params: WriteTextFileRequest,
): Promise<WriteTextFileResponse> {
  const path = assertAbsolute(params.path);
  const { editors } = thread;
  const { cwd, threadId } = thread.place;
  const confirm = async (realFile: string) => {
    const real = nameInThread(thread, realFile);
    const editor = isWithin(real, resolve(cwd)) ? editors.find(threadId, "write") : undefined;
    const unsaved = editor === undefined ? undefined : await readInEditor(thread, real, {});
    const before = unsaved?.content ?? (await readFileIfThere(thread, realFile))?.toString("utf8") ?? null;
    const shown = {
      title: makeTitle("Write", relative(cwd, path), relative(cwd, real)),
      kind: "edit",
      locations: [{ path }],
      content: [{ type: "diff", path, oldText: before, newText: params.content }],
    };
    await requirePermission(thread, { subject: fileSubject(thread, shown, path, real), description: shown });
    if (editor === undefined) return;
    await editor({ path: real, content: params.content });
    throw new WrittenByEditor();
  };
  try {
    await mapped(path, () => writeFileAtomic(thread.sandbox.policy, path, params.content, confirm));
  } catch (error) {
    if (!(error instanceof WrittenByEditor)) throw error;
    return { _meta: byEditor };
  }
  return {};
}

/** Ends a write that needs no file any more: the editor has the text. */
class WrittenByEditor extends RequestError {
  constructor() {
    super(0, "The editor wrote it.");
  }
}

const byEditor = { "signalbox/by": "editor" };

/** The text as a connected editor has it, unsaved changes included. Undefined where none serves it: the disk has it then. */
async function readInEditor(
  { editors, place }: ThreadContext,
  path: string,
  { line, limit }: Pick<ReadTextFileRequest, "line" | "limit">,
): Promise<ReadTextFileResponse | undefined> {
  try {
    const content = await editors.find(place.threadId, "read")?.({ path, line, limit });
    return content === undefined ? undefined : { content, _meta: byEditor };
  } catch {
    // Editors serve the files of their own project: another one, or one that is new, is read from the disk.
    return undefined;
  }
}

/** `real` is what was opened: rules decide about that and about the name by which the agent asked for it. */
function fileSubject({ place }: ThreadContext, shown: JsonObject, path: string, real: string): Subject {
  const named = resolve(path);
  return {
    ...describeSubject(shown, place),
    paths: [...new Set([named, real])],
    targets: [real],
    targetNames: [named],
  };
}

const newline = 0x0a;

/** 1-based `line`, at most `limit` lines, line ends as they are. */
export function sliceLines(bytes: Buffer, line: number, limit: number | null): Buffer {
  const start = afterLines(bytes, 0, line - 1);
  return bytes.subarray(start, limit === null ? undefined : afterLines(bytes, start, limit));
}

/** Where so many lines from `start` on end. */
function afterLines(bytes: Buffer, start: number, count: number): number {
  let at = start;
  for (let left = count; left > 0 && at < bytes.length; left--) {
    const end = bytes.indexOf(newline, at);
    at = end < 0 ? bytes.length : end + 1;
  }
  return at;
}

function makeTitle(does: string, path: string, real: string): string {
  return path === real ? `${does} \`${path}\`` : `${does} \`${path}\`, which is \`${real}\``;
}

function assertAbsolute(path: string): string {
  if (!isAbsolute(path)) throw RequestError.invalidParams({ path }, "the path must be absolute");
  return path;
}
