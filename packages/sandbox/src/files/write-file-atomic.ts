// Writing for tools: the new content appears all at once, in a folder that was opened and verified, so that neither a
// crash nor a swapped folder leaves half a file or one in the wrong place.
import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { canAccess } from "../policy/can-access.ts";
import { decide } from "../policy/decide.ts";
import type { Policy } from "../policy/policy.ts";
import { OpenFolder } from "./open-verified.ts";
import { insist, SandboxError } from "./sandbox-error.ts";

/** Creates missing folders on the way. An existing file keeps its mode; other names of it (hard links) keep the old content. */
export async function writeFileAtomic(policy: Policy, path: string, data: string | Uint8Array): Promise<void> {
  const real = insist(canAccess(policy, path, "write"));
  if (path.endsWith("/") || real === "/") throw new SandboxError("not_a_file", path, `${path} is a folder, not a file`);
  const name = basename(real);
  await using folder = await openOrMakeFolder(policy, dirname(real));
  insist(decide(policy, folder.nameOf(name), "write"));
  const before = await statusOf(folder.pathOf(name));
  // A link here appeared after it was resolved above. It is replaced like any other entry, never followed.
  if (before !== undefined && !before.isFile() && !before.isSymbolicLink()) {
    throw new SandboxError("not_a_file", path, `${path} exists and is not a regular file`);
  }
  const unfinished = folder.pathOf(`.${name.slice(0, 100)}.${randomUUID()}`);
  try {
    await writeNew(unfinished, data, before?.isFile() ? before : undefined);
    await rename(unfinished, folder.pathOf(name));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function writeNew(path: string, data: string | Uint8Array, before: Stats | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  await using file = await open(path, flags, 0o666);
  await file.writeFile(data);
  if (before !== undefined) {
    if (process.getuid?.() === 0) await file.chown(before.uid, before.gid);
    await file.chmod(before.mode & 0o777);
  }
  await file.datasync();
}

/** Opens the folder, making it and its parents where they are missing, each inside the one verified before. */
async function openOrMakeFolder(policy: Policy, real: string): Promise<OpenFolder> {
  try {
    return await OpenFolder.at(real);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") throw new SandboxError("not_a_folder", real, `${real} is not a folder`);
    if (code !== "ENOENT") throw error;
  }
  const name = basename(real);
  await using parent = await openOrMakeFolder(policy, dirname(real));
  insist(decide(policy, parent.nameOf(name), "write"));
  try {
    await mkdir(parent.pathOf(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // somebody else made it: as good
  }
  return await OpenFolder.at(parent.pathOf(name));
}

async function statusOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
