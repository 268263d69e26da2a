// Opens the register's file: refuses what is not one, takes the lock, brings the schema up to date, and closes what a dead
// process left open.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { openReader, openWriter } from "./database/connection.ts";
import { migrate } from "./database/migrations.ts";
import { lockRegister } from "./database/register-lock.ts";
import { toRegisterError } from "./database/sqlite-error.ts";
import type { Register } from "./register.ts";
import { SqliteRegister } from "./sqlite-register.ts";

export interface RegisterOptions {
  readonly path: string;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

export async function openRegister({ path, now = Date.now }: RegisterOptions): Promise<Register> {
  mkdirSync(dirname(path), { recursive: true });
  const lock = lockRegister(path);
  try {
    const writer = openWriter(path);
    migrate(writer, path);
    const reader = openReader(path);
    const register = new SqliteRegister({ path, writer, reader, now, release: () => lock.release() });
    register.recover();
    return register;
  } catch (error) {
    lock.release();
    throw toRegisterError(error, path);
  }
}
