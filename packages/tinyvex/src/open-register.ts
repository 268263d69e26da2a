// Opens the register's file: refuses what is not one, takes the lock, brings the schema up to date, and closes what a dead
// process left open. For reading only, it neither locks nor changes anything.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openReader, openWriter } from "./database/connection.ts";
import { checkFile } from "./database/file-check.ts";
import { latestVersion, migrate } from "./database/migrations.ts";
import { lockRegister, type RegisterLock } from "./database/register-lock.ts";
import { toRegisterError } from "./database/sqlite-error.ts";
import { ReadOnlyRegister } from "./read-only-register.ts";
import { type Register, RegisterError } from "./register.ts";
import { RegisterReads } from "./register-reads.ts";
import { SqliteRegister } from "./sqlite-register.ts";

export interface RegisterOptions {
  readonly path: string;
  /** To look at a register that another process may be writing. */
  readonly readOnly?: boolean;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

export async function openRegister({ path, readOnly = false, now = Date.now }: RegisterOptions): Promise<Register> {
  return readOnly ? openForReading(path, now) : openForWriting(path, now);
}

async function openForReading(path: string, now: () => number): Promise<Register> {
  const file = checkFile(path);
  if (file === null) throw new RegisterError("not_found", `There is no register at ${path} yet. Start Signalbox once.`);
  // Only a writer can bring the schema up to date.
  if (file.version < latestVersion()) await (await openForWriting(path, now)).close();
  return new ReadOnlyRegister(new RegisterReads(openReader(path), path, now));
}

async function openForWriting(path: string, now: () => number): Promise<Register> {
  mkdirSync(dirname(path), { recursive: true });
  let lock: RegisterLock | null = null;
  let writer: DatabaseSync | null = null;
  try {
    lock = lockRegister(path);
    checkFile(path);
    writer = openWriter(path);
    migrate(writer, path);
    const reads = new RegisterReads(openReader(path), path, now);
    const register = new SqliteRegister({ path, writer, reads, now, release: () => lock?.release() });
    register.recover();
    return register;
  } catch (error) {
    writer?.close();
    lock?.release();
    throw toRegisterError(error, path);
  }
}
