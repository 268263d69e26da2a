// Opens every file that a person, an agent or a project named, and refuses those of the register. SQLite guards them with POSIX locks, which the
// system drops as soon as this process closes any descriptor of the file, whatever name it was opened by. So only SQLite may open them.
import { fstatSync, openSync, type PathLike, type Stats, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { SandboxError } from "./sandbox-error.ts";

/** Worker threads inherit what is set by this key: their locks are those of the process. */
const reservedKey = "signalbox: files that only SQLite opens";
/** The files that SQLite locks for a database, and the register's own lock. */
const suffixes = ["", "-wal", "-shm", ".lock"];

/** From now on, this process opens the files of these databases only through SQLite. They need not exist yet. */
export function reserveDatabases(databases: readonly string[]): void {
  const files = databases.flatMap((path) => suffixes.map((suffix) => `${path}${suffix}`));
  setEnvironmentData(reservedKey, [...new Set([...listReserved(), ...files])]);
}

/** Whether this is a file of a reserved database, by whatever name it was found: device and inode decide. */
export function isReserved({ dev, ino }: Pick<Stats, "dev" | "ino">): boolean {
  return listReserved().some((path) => {
    const own = statSync(path, { throwIfNoEntry: false });
    return own?.ino === ino && own.dev === dev;
  });
}

/** Throws what the system throws, and a SandboxError for a reserved file. The caller closes it. */
export function openFileSync(path: PathLike, flags: number, mode?: number): number {
  refuseReserved(path);
  const descriptor = openSync(path, flags, mode);
  // Another file was put there since the check. Closing this one would drop the locks, so it stays open.
  if (isReserved(fstatSync(descriptor))) throw describeRefusal(path);
  return descriptor;
}

/** The same without blocking; a handle that must stay open is kept from the garbage collector, which would close it. */
export async function openFile(path: PathLike, flags: number): Promise<FileHandle> {
  refuseReserved(path);
  const handle = await open(path, flags);
  if (!isReserved(fstatSync(handle.fd))) return handle;
  keptOpen.push(handle);
  throw describeRefusal(path);
}

const keptOpen: FileHandle[] = [];

function refuseReserved(path: PathLike): void {
  let status: Stats | undefined;
  try {
    status = statSync(path, { throwIfNoEntry: false });
  } catch {
    return; // Opening it says why.
  }
  if (status !== undefined && isReserved(status)) throw describeRefusal(path);
}

function describeRefusal(path: PathLike): SandboxError {
  const message = `${path.toString()} is a file of Signalbox's register, which only SQLite may open`;
  return new SandboxError("denied", path.toString(), message, "own-data");
}

function listReserved(): readonly string[] {
  // Only `reserveDatabases` sets it.
  return (getEnvironmentData(reservedKey) as readonly string[] | undefined) ?? [];
}
