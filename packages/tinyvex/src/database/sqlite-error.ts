// Converts SQLite's result codes to the register's errors. No other file does.
import { messageOf } from "@signalbox/protocol";
import { RegisterError } from "../register.ts";

const busy = 5;
const locked = 6;
const readOnly = 8;
const ioError = 10;
const corrupt = 11;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;

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
      return cannotOpen;
    case "EISDIR":
      return notADatabase;
    case "ENOSPC":
    case "EDQUOT":
      return full;
    default:
      return null;
  }
}

export function toRegisterError(error: unknown, path: string): RegisterError {
  if (error instanceof RegisterError) return error;
  const reason = messageOf(error);
  const options = { cause: error };
  switch (sqliteCode(error) ?? fileCode(error)) {
    case full:
      return new RegisterError(
        "disk_full",
        `The disk that holds ${path} is full: what came last is not stored yet. Free some space; writing goes on by itself.`,
        options,
      );
    case busy:
    case locked:
      return new RegisterError(
        "busy",
        `Another program holds a lock on ${path}: what came last is not stored yet. Writing goes on when it lets go.`,
        options,
      );
    case readOnly:
      return new RegisterError("read_only", `${path} cannot be written (${reason}). Check its permissions.`, options);
    case cannotOpen:
      return new RegisterError("read_only", `${path} cannot be opened (${reason}). Check its permissions.`, options);
    case ioError:
      return new RegisterError("io", `Reading or writing ${path} failed (${reason}). Check the disk.`, options);
    case corrupt:
      return damaged(path, reason, options);
    case notADatabase:
      return notARegister(path, options);
    default:
      return new RegisterError("internal", `The register failed: ${reason}`, options);
  }
}

/** The same while it is being opened: a register that is not open yet does not go on by itself. */
export function toOpeningError(error: unknown, path: string): RegisterError {
  const found = toRegisterError(error, path);
  if (found.code !== "disk_full") return found;
  const message = `The disk that holds ${path} is full, so it cannot be opened. Free some space and start again.`;
  return new RegisterError("disk_full", message, { cause: error });
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
    `${path} is not a Signalbox register. Nothing was changed. Choose another path or data folder, or move it away.`,
    options,
  );
}
