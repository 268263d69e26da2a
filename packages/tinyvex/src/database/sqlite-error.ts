// The one place where SQLite's result codes become the register's errors.
import { RegisterError } from "../register.ts";

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** SQLite's primary result code, or null for an error that SQLite did not make. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode & 0xff;
}

/** The same for an error of the file system, at opening. */
function fileCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  switch (error.code) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return CANTOPEN;
    case "EISDIR":
      return NOTADB;
    case "ENOSPC":
    case "EDQUOT":
      return FULL;
    default:
      return null;
  }
}

export function toRegisterError(error: unknown, path: string): RegisterError {
  if (error instanceof RegisterError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const options = { cause: error };
  switch (sqliteCode(error) ?? fileCode(error)) {
    case FULL:
      return new RegisterError(
        "disk_full",
        `The disk that holds ${path} is full: what came last is not stored yet. Free some space; writing goes on by itself.`,
        options,
      );
    case BUSY:
    case LOCKED:
      return new RegisterError(
        "busy",
        `Another program holds a lock on ${path}: what came last is not stored yet. Writing goes on when it lets go.`,
        options,
      );
    case READONLY:
    case CANTOPEN:
      return new RegisterError("read_only", `${path} cannot be written (${reason}). Check its permissions.`, options);
    case IOERR:
      return new RegisterError("io", `Reading or writing ${path} failed (${reason}). Check the disk.`, options);
    case CORRUPT:
      return damaged(path, reason, options);
    case NOTADB:
      return notARegister(path, options);
    default:
      return new RegisterError("internal", `The register failed: ${reason}`, options);
  }
}

export function damaged(path: string, reason: string, options?: ErrorOptions): RegisterError {
  return new RegisterError(
    "damaged",
    `${path} is damaged (${reason}). Nothing was changed. Move it away and put a copy in its place (a backup, or a ` +
      `"${path}.before-*" file that an upgrade left), or recover what can be read: sqlite3 "${path}" .recover | sqlite3 recovered.db`,
    options,
  );
}

export function notARegister(path: string, options?: ErrorOptions): RegisterError {
  return new RegisterError(
    "not_a_register",
    `${path} is not a Signalbox register. Nothing was changed. Choose another path or data folder, or move the file away.`,
    options,
  );
}
