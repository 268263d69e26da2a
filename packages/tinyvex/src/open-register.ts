// Opens the register's file: refuses what is not one, takes the lock, brings the schema up to date, and closes what a dead
// process left open. A reader takes no lock and changes nothing, unless the schema is old.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { addColumns } from "./database/add-columns.ts";
import { openReader, openWriter } from "./database/connection.ts";
import { checkFile } from "./database/file-check.ts";
import { latestVersion, migrate } from "./database/migrations.ts";
import { lockRegister, type RegisterLock } from "./database/register-lock.ts";
import { toOpeningError } from "./database/sqlite-error.ts";
import { allTables } from "./database/tables.ts";
import { type Register, RegisterError, type RegisterReader } from "./register.ts";
import { SqliteReader } from "./sqlite-reader.ts";
import { SqliteRegister } from "./sqlite-register.ts";

export interface RegisterOptions {
  readonly path: string;
  /** It holds copies of other registers: what is open there stays open. */
  readonly isCopy?: boolean;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

/** Opens a register that another process may be writing. Throws `not_found` when there is none. */
export async function openRegisterReader({ path, now = Date.now }: RegisterOptions): Promise<RegisterReader> {
  const file = checkFile(path);
  if (file === null) throw new RegisterError("not_found", `There is no register at ${path} yet. Start Signalbox once.`);
  // Only a writer can bring the schema up to date.
  if (file.version < latestVersion()) await (await openRegister({ path, now })).close();
  return new SqliteReader(openReader(path), path, now);
}

export async function openRegister({ path, isCopy = false, now = Date.now }: RegisterOptions): Promise<Register> {
  let lock: RegisterLock | null = null;
  let writer: DatabaseSync | null = null;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    lock = lockRegister(path);
    checkFile(path);
    writer = openWriter(path);
    migrate(writer, path);
    addColumns(writer, allTables);
    const register = new SqliteRegister({
      path,
      writer,
      reader: openReader(path),
      now,
      release: () => lock?.release(),
    });
    if (!isCopy) register.recover();
    return register;
  } catch (error) {
    writer?.close();
    lock?.release();
    throw toOpeningError(error, path);
  }
}
