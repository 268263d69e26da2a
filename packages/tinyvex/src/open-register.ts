// Opens the register's file: refuses what is not one, takes the lock, brings the log up to date, begins to make rows that are missing, and closes
// what a dead process left open. A reader takes no lock and changes nothing, unless the rows are not complete.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openReader, openWriter } from "./database/connection.ts";
import { checkFile } from "./database/file-check.ts";
import { migrate } from "./database/migrations.ts";
import { lockRegister, type RegisterLock } from "./database/register-lock.ts";
import { hasCurrentRows } from "./database/row-tables.ts";
import { toOpeningError } from "./database/sqlite-error.ts";
import { inTransaction } from "./database/transaction.ts";
import { makeRowsStale } from "./maintenance/stale-threads.ts";
import { type RebuildProgress, type Register, RegisterError, type RegisterReader } from "./register.ts";
import { SqliteReader } from "./sqlite-reader.ts";
import { SqliteRegister } from "./sqlite-register.ts";

export interface RegisterOptions {
  readonly path: string;
  /** It holds copies of other registers: what is open there stays open. */
  readonly isCopy?: boolean;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

/**
 * Opens a register that another process may be writing. Throws `not_found` when there is none. If its rows are not complete and no other process is
 * making them, they are made first.
 */
export async function openRegisterReader({
  path,
  now = Date.now,
  onProgress,
}: RegisterOptions & { readonly onProgress?: (progress: RebuildProgress) => void }): Promise<RegisterReader> {
  const file = checkFile(path);
  if (file === null) throw new RegisterError("not_found", `There is no register at ${path} yet. Start Signalbox once.`);
  if (!file.hasCurrentRows || file.hasStaleThreads) await completeRows({ path, now }, file.hasCurrentRows, onProgress);
  return new SqliteReader(openReader(path), path, now);
}

async function completeRows(
  options: RegisterOptions,
  isReadable: boolean,
  onProgress?: (progress: RebuildProgress) => void,
): Promise<void> {
  try {
    const register = await openRegister(options);
    try {
      await register.rebuildStale(onProgress);
    } finally {
      await register.close();
    }
  } catch (error) {
    if (!(error instanceof RegisterError)) throw error;
    // Another process makes them, or none can: what is there can be read.
    if (isReadable && (error.code === "in_use" || error.code === "read_only")) return;
    throw error.code === "read_only" ? needsRebuild(options.path, error) : error;
  }
}

function needsRebuild(path: string, cause: RegisterError): RegisterError {
  const message =
    `${path} was last used by another version of Signalbox, so its rows have to be made again, but it cannot be written. ` +
    "Copy the data folder to a place where it can be, and name that with --data-dir.";
  return new RegisterError("read_only", message, { cause });
}

export async function openRegister({ path, isCopy = false, now = Date.now }: RegisterOptions): Promise<Register> {
  let lock: RegisterLock | null = null;
  let writer: DatabaseSync | null = null;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    lock = lockRegister(path);
    checkFile(path);
    writer = openWriter(path);
    prepareTables(writer, path);
    const register = new SqliteRegister({
      path,
      writer,
      reader: openReader(path),
      now,
      release: () => lock?.release(),
    });
    if (!isCopy) register.recover();
    register.startRebuild();
    return register;
  } catch (error) {
    writer?.close();
    lock?.release();
    throw toOpeningError(error, path);
  }
}

/** Brings the log to the version of this program. Where the row tables are not those that it declares, they are made anew, and all threads are stale. */
export function prepareTables(writer: DatabaseSync, path: string): void {
  migrate(writer, path);
  if (!hasCurrentRows(writer)) inTransaction(writer, () => makeRowsStale(writer));
}
