// This module opens and reads files as the thread's policy allows, with ACP's errors.
import type { FileHandle } from "node:fs/promises";
import { RequestError } from "@agentclientprotocol/sdk";
import { messageOf } from "@signalbox/protocol";
import { openWithPath, SandboxError } from "@signalbox/sandbox";
import type { ThreadContext } from "./thread-context.ts";

/** A sparse file of a terabyte costs its maker nothing. */
const maxBytes = 64 * 1024 * 1024;

/** Undefined when there is no such file. */
export async function openIfThere(thread: ThreadContext, path: string) {
  try {
    return await mapped(path, () => openWithPath(thread.sandbox.policy, path));
  } catch (error) {
    if (error instanceof RequestError && error.code === RequestError.resourceNotFound().code) return undefined;
    throw error;
  }
}

/** Undefined when there is no such file. Throws a RequestError when it may not be read or is bigger than `limit`. */
export async function readFileIfThere(
  thread: ThreadContext,
  path: string,
  limit = maxBytes,
): Promise<Buffer | undefined> {
  const opened = await openIfThere(thread, path);
  if (opened === undefined) return undefined;
  await using handle = opened.handle;
  return await mapped(path, () => readAll(handle, path, limit));
}

export async function readAll(handle: FileHandle, path: string, limit = maxBytes): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > limit) {
    const message = `it has ${size} bytes; at most ${limit} go through Signalbox as text`;
    throw RequestError.invalidRequest({ path, size }, message);
  }
  return await handle.readFile();
}

/** The one place where the file system's errors become ACP's. */
export async function mapped<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
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
