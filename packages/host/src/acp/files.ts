// Files for agents that read and write through the client: inside the thread's folder, by the rules, checked when opened.
import { isAbsolute, relative } from "node:path";
import {
  type ReadTextFileRequest,
  type ReadTextFileResponse,
  RequestError,
  type WriteTextFileRequest,
} from "@agentclientprotocol/sdk";
import { readFileChecked, SandboxError, writeFileAtomic } from "@signalbox/sandbox";
import { insistOnLeave } from "./ask.ts";
import type { ServedThread } from "./served-thread.ts";

export async function readTextFile(thread: ServedThread, params: ReadTextFileRequest): Promise<ReadTextFileResponse> {
  const path = insistOnAbsolute(params.path);
  if (!isInside(path, thread.place.cwd)) {
    await insistOnLeave(thread, { title: `Read \`${path}\``, kind: "read", locations: [{ path }] });
  }
  const bytes = await readOrNull(thread, path);
  if (bytes === null) {
    if (thread.readMissingFile === "empty") return { content: "" };
    throw RequestError.resourceNotFound(path);
  }
  return { content: linesOf(bytes.toString("utf8"), params.line ?? 1, params.limit ?? null) };
}

export async function writeTextFile(thread: ServedThread, params: WriteTextFileRequest): Promise<void> {
  const path = insistOnAbsolute(params.path);
  const before = await readOrNull(thread, path);
  await insistOnLeave(thread, {
    title: `Write \`${relative(thread.place.cwd, path)}\``,
    kind: "edit",
    locations: [{ path }],
    content: [{ type: "diff", path, oldText: before?.toString("utf8") ?? null, newText: params.content }],
  });
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
    return await mapped(path, () => readFileChecked(thread.policy, path));
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
    if (error instanceof SandboxError) throw RequestError.invalidRequest({ path, rule: error.rule }, error.message);
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw RequestError.resourceNotFound(path);
    throw RequestError.internalError({ path, code }, error instanceof Error ? error.message : String(error));
  }
}

function insistOnAbsolute(path: string): string {
  if (!isAbsolute(path)) throw RequestError.invalidParams({ path }, "the path must be absolute");
  return path;
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../") || isAbsolute(way));
}
