// Writes files for tools: the new content appears as a whole, in a folder that was opened and verified, so that neither a
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

/**
 * Creates missing folders on the way. An existing file keeps its mode; other names of it (hard links) keep the old content. `confirm` gets
 * the real path before anything is changed, and throws to prevent it: what it confirms is what is written, whatever happens to the path
 * meanwhile.
 */
export async function writeFileAtomic(
  policy: Policy,
  path: string,
  data: string | Uint8Array,
  confirm: (realPath: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const real = insist(canAccess(policy, path, "write"));
  if (path.endsWith("/") || real === "/") throw new SandboxError("not_a_file", path, `${path} is a folder, not a file`);
  const name = basename(real);
  const { nearest, missing } = await openNearest(dirname(real));
  await using start = nearest;
  const target = [start.path === "/" ? "" : start.path, ...missing, name].join("/");
  insist(decide(policy, target, "write"));
  await confirm(target);
  if (!start.isStillThere()) throw new SandboxError("not_a_folder", start.path, `${start.path} was moved meanwhile`);
  await using made = await makeFolders(policy, start, missing);
  const folder = made ?? start;
  const before = await readStatus(folder.formatPath(name));
  // A link here appeared after it was resolved above. It is replaced like any other entry, never followed.
  if (before !== undefined && !before.isFile() && !before.isSymbolicLink()) {
    throw new SandboxError("not_a_file", path, `${path} exists and is not a regular file`);
  }
  const unfinished = folder.formatPath(`.${name.slice(0, 100)}.${randomUUID()}`);
  try {
    await writeNew(unfinished, data, before?.isFile() ? before : undefined);
    await rename(unfinished, folder.formatPath(name));
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

/** Opens the folder, or the nearest one above it that exists, and gives the names that are missing below that. */
async function openNearest(real: string): Promise<{ nearest: OpenFolder; missing: readonly string[] }> {
  try {
    return { nearest: await OpenFolder.at(real), missing: [] };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") throw new SandboxError("not_a_folder", real, `${real} is not a folder`);
    if (code !== "ENOENT") throw error;
  }
  const { nearest, missing } = await openNearest(dirname(real));
  return { nearest, missing: [...missing, basename(real)] };
}

/** Makes the folders, each inside the one before, and opens the last; undefined when there are none. */
async function makeFolders(
  policy: Policy,
  parent: OpenFolder,
  [name, ...others]: readonly string[],
): Promise<OpenFolder | undefined> {
  if (name === undefined) return undefined;
  insist(decide(policy, parent.formatName(name), "write"));
  try {
    await mkdir(parent.formatPath(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process made it
  }
  const folder = await OpenFolder.at(parent.formatPath(name));
  if (others.length === 0) return folder;
  await using between = folder;
  return await makeFolders(policy, between, others);
}

async function readStatus(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
