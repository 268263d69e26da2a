// Files for agents that read and write through the client: inside the thread's folder, by the rules, checked when opened.
import { isUtf8 } from "node:buffer";
import { isAbsolute, relative } from "node:path";
import {
  type ReadTextFileRequest,
  type ReadTextFileResponse,
  RequestError,
  type WriteTextFileRequest,
} from "@agentclientprotocol/sdk";
import { openForRead, SandboxError, writeFileAtomic } from "@signalbox/sandbox";
import { messageOf } from "../data/host-error.ts";
import { insistOnLeave } from "./ask.ts";
import { isInside, realPath } from "./real-paths.ts";
import type { ServedThread } from "./served-thread.ts";

/** Any honest text; a sparse file of a terabyte costs its maker nothing. */
const mostBytes = 64 * 1024 * 1024;

export async function readTextFile(thread: ServedThread, params: ReadTextFileRequest): Promise<ReadTextFileResponse> {
  const path = insistOnAbsolute(params.path);
  const real = realPath(thread, path);
  if (!isInside(real, thread.place.cwd)) {
    await insistOnLeave(thread, {
      title: titleOf("Read", path, real),
      kind: "read",
      locations: [{ path }],
    });
    insistOnSamePlace(thread, path, real);
  }
  const bytes = await readOrNull(thread, path);
  if (bytes === null) {
    if (thread.readMissingFile === "empty") return { content: "" };
    throw RequestError.resourceNotFound(path);
  }
  // As text its other bytes would be lost, and whoever changes a word of it would write it back without them.
  if (!isUtf8(bytes))
    throw RequestError.invalidRequest({ path }, "it is not UTF-8 text; read it with a command instead");
  return { content: linesOf(bytes.toString("utf8"), params.line ?? 1, params.limit ?? null) };
}

export async function writeTextFile(thread: ServedThread, params: WriteTextFileRequest): Promise<void> {
  const path = insistOnAbsolute(params.path);
  const real = realPath(thread, path);
  const { cwd } = thread.place;
  const before = await readOrNull(thread, path);
  await insistOnLeave(thread, {
    title: titleOf("Write", relative(cwd, path), relative(cwd, real)),
    kind: "edit",
    locations: [{ path }],
    content: [{ type: "diff", path, oldText: before?.toString("utf8") ?? null, newText: params.content }],
  });
  insistOnSamePlace(thread, path, real);
  await mapped(path, () => writeFileAtomic(thread.policy, path, params.content));
}

/** 1-based `line`, at most `limit` lines, line ends as they are. */
export function linesOf(text: string, line: number, limit: number | null): string {
  if (line <= 1 && limit === null) return text;
  const lines = text.split(/(?<=\n)/);
  const start = Math.max(0, line - 1);
  return lines.slice(start, limit === null ? undefined : start + limit).join("");
}

async function readOrNull(thread: ServedThread, path: string): Promise<Buffer | null> {
  try {
    return await mapped(path, async () => {
      await using file = await openForRead(thread.policy, path);
      const { size } = await file.stat();
      if (size > mostBytes) {
        const words = `it has ${size} bytes; ${mostBytes} are the most that go through Signalbox as text`;
        throw RequestError.invalidRequest({ path, size }, words);
      }
      return await file.readFile();
    });
  } catch (error) {
    if (error instanceof RequestError && error.code === RequestError.resourceNotFound().code) return null;
    throw error;
  }
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

/** An answer can take long, and a link can be changed meanwhile. */
function insistOnSamePlace(thread: ServedThread, path: string, real: string): void {
  if (realPath(thread, path) === real) return;
  throw RequestError.invalidRequest({ path }, "it leads elsewhere than when leave for it was asked");
}

function insistOnAbsolute(path: string): string {
  if (!isAbsolute(path)) throw RequestError.invalidParams({ path }, "the path must be absolute");
  return path;
}
