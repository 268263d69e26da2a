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
} from "@agentclientprotocol/sdk";
import { type JsonObject, messageOf } from "@signalbox/protocol";
import { isWithin, type Subject, subjectOf } from "@signalbox/rules";
import { openWithPath, SandboxError, writeFileAtomic } from "@signalbox/sandbox";
import { nameInThread, realPath } from "./real-paths.ts";
import { requirePermission } from "./require-permission.ts";
import type { ServedThread } from "./served-thread.ts";

/** A sparse file of a terabyte costs its maker nothing. */
const maxBytes = 64 * 1024 * 1024;

/** `inTurn` runs what puts the content into memory, when the agent has taken what it asked for before. */
export async function readTextFile(
  thread: ServedThread,
  params: ReadTextFileRequest,
  inTurn: <Result>(read: () => Promise<Result>) => Promise<Result> = (read) => read(),
): Promise<ReadTextFileResponse> {
  const path = insistOnAbsolute(params.path);
  const opened = await openIfThere(thread, path);
  await using handle = opened?.handle;
  const real = opened === undefined ? realPath(thread, path) : nameInThread(thread, opened.path);
  const shown = { title: titleOf("Read", path, real), kind: "read", locations: [{ path }] };
  const isFree = isWithin(real, resolve(thread.place.cwd));
  await requirePermission(thread, { subject: fileSubject(thread, shown, path, real), shown, isFree });
  if (handle === undefined) {
    if (thread.readMissingFile === "empty") return { content: "" };
    throw RequestError.resourceNotFound(path);
  }
  return await inTurn(() => contentOf(handle, path, params));
}

async function contentOf(handle: FileHandle, path: string, params: ReadTextFileRequest): Promise<ReadTextFileResponse> {
  const bytes = await mapped(path, () => readAll(handle, path));
  // As text its other bytes would be lost, and an agent that changes a line of it would write it back without them.
  if (!isUtf8(bytes))
    throw RequestError.invalidRequest({ path }, "it is not UTF-8 text; read it with a command instead");
  return { content: linesOf(bytes.toString("utf8"), params.line ?? 1, params.limit ?? null) };
}

export async function writeTextFile(thread: ServedThread, params: WriteTextFileRequest): Promise<void> {
  const path = insistOnAbsolute(params.path);
  const { cwd } = thread.place;
  const confirm = async (realFile: string) => {
    const real = nameInThread(thread, realFile);
    const before = await readIfThere(thread, realFile);
    const shown = {
      title: titleOf("Write", relative(cwd, path), relative(cwd, real)),
      kind: "edit",
      locations: [{ path }],
      content: [{ type: "diff", path, oldText: before?.toString("utf8") ?? null, newText: params.content }],
    };
    await requirePermission(thread, { subject: fileSubject(thread, shown, path, real), shown });
  };
  await mapped(path, () => writeFileAtomic(thread.policy, path, params.content, confirm));
}

/** `real` is what was opened: rules decide about that and about the name by which the agent asked for it. */
function fileSubject({ place }: ServedThread, shown: JsonObject, path: string, real: string): Subject {
  return { ...subjectOf(shown, place), paths: [...new Set([resolve(path), real])], targets: [real] };
}

/** 1-based `line`, at most `limit` lines, line ends as they are. */
export function linesOf(text: string, line: number, limit: number | null): string {
  if (line <= 1 && limit === null) return text;
  const lines = text.split(/(?<=\n)/);
  const start = Math.max(0, line - 1);
  return lines.slice(start, limit === null ? undefined : start + limit).join("");
}

/** Undefined when there is no such file. */
async function openIfThere(thread: ServedThread, path: string) {
  try {
    return await mapped(path, () => openWithPath(thread.policy, path));
  } catch (error) {
    if (error instanceof RequestError && error.code === RequestError.resourceNotFound().code) return undefined;
    throw error;
  }
}

async function readIfThere(thread: ServedThread, path: string): Promise<Buffer | undefined> {
  const opened = await openIfThere(thread, path);
  if (opened === undefined) return undefined;
  await using handle = opened.handle;
  return await mapped(path, () => readAll(handle, path));
}

async function readAll(handle: FileHandle, path: string): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > maxBytes) {
    const message = `it has ${size} bytes; at most ${maxBytes} go through Signalbox as text`;
    throw RequestError.invalidRequest({ path, size }, message);
  }
  return await handle.readFile();
}

/** The one place where the file system's errors become ACP's. */
async function mapped<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    if (error instanceof SandboxError) throw RequestError.invalidRequest({ path, rule: error.rule }, error.message);
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw RequestError.resourceNotFound(path);
    throw RequestError.internalError({ path, code }, messageOf(error));
  }
}

function titleOf(does: string, path: string, real: string): string {
  return path === real ? `${does} \`${path}\`` : `${does} \`${path}\`, which is \`${real}\``;
}

function insistOnAbsolute(path: string): string {
  if (!isAbsolute(path)) throw RequestError.invalidParams({ path }, "the path must be absolute");
  return path;
}
