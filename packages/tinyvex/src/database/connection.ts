// Opens SQLite with the settings of the register: write-ahead log, foreign keys, and checkpoints only when we ask for one.
import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

const ownerOnly = 0o600;

/** How long a write waits for a foreign lock before it reports `busy`; short, because the whole host waits with it. */
const busyTimeoutMs = 50;

/** Pages of 8 KB hold an update of a few KB without waste, and need half the system calls of the usual 4 KB. */
const pageBytes = 8 * 1024;

/**
 * So much of the write-ahead log stays when it begins anew: what it usually grows to before a checkpoint. To write over a file takes less
 * than to truncate it and let it grow again.
 */
const keptLogBytes = 32 * 1024 * 1024;

/**
 * Makes an empty file where there is none. Only its owner may read or write it, whatever the umask; SQLite gives `-wal` and `-shm` the same mode. A file
 * that is there is not opened: this process may hold SQLite's locks on it, and closing it would drop them.
 */
export function makePrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", ownerOnly));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (!existsSync(file)) continue;
    try {
      chmodSync(file, ownerOnly);
    } catch (error) {
      // Another user's file, or a file system without modes: it stays as it is.
      if (!isModeRefused(error)) throw error;
    }
  }
}

function isModeRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["EPERM", "ENOTSUP", "EROFS"].includes(String(error.code));
}

export function openWriter(path: string): DatabaseSync {
  makePrivate(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  // NORMAL: a commit survives the death of the process immediately, and the death of the machine after the next checkpoint.
  database.exec(`
    PRAGMA page_size = ${pageBytes};
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA cache_size = -4096;
    PRAGMA journal_size_limit = ${keptLogBytes};
  `);
  return database;
}

export function openReader(path: string): DatabaseSync {
  const database = new DatabaseSync(isUnchangeable(path) ? unchangeable(path) : path, {
    readOnly: true,
    timeout: 5000,
  });
  database.exec("PRAGMA cache_size = -4096");
  return database;
}

/** In a folder that cannot be written, SQLite can make no files beside the database. Without a write-ahead log it needs none. */
function isUnchangeable(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch {
    return existsSync(path) && (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
  }
}

/** The address of a database that nothing changes: SQLite takes no locks, and makes no files. */
function unchangeable(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return url;
}
