// Checks a file before anything is written to it. Only an undamaged register of a known version is opened.
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { RegisterError } from "../register.ts";
import { openReader } from "./connection.ts";
import { schemaVersion } from "./migrations.ts";
import { integer } from "./row.ts";
import { hasCurrentRows } from "./row-tables.ts";
import { applicationId, latestVersion, oldestVersion } from "./schema.ts";
import { damaged, notARegister, toRegisterError } from "./sqlite-error.ts";

/** Up to this size every page is looked at; beyond it, damage shows when a page is read. */
const checkedBytes = 64 * 1024 * 1024;

interface CheckedFile {
  /** The row tables are those that this version declares. */
  readonly hasCurrentRows: boolean;
  /** Rows of some threads have still to be made. */
  readonly hasStaleThreads: boolean;
}

/** Null where there is nothing yet. Throws when it is not a register that this version can read. */
export function checkFile(path: string): CheckedFile | null {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined || facts.size === 0) return null;
  if (facts.isDirectory()) throw notARegister(path);
  let database: DatabaseSync | null = null;
  try {
    database = openReader(path);
    const version = schemaVersion(database);
    checkOwner(database, path);
    checkPages(database, path);
    if (version > latestVersion) throw newerVersion(path, version);
    if (version < oldestVersion) throw olderVersion(path, version);
    const isCurrent = version === latestVersion && hasCurrentRows(database);
    const stale = isCurrent ? database.prepare("SELECT 1 FROM stale_threads LIMIT 1").get() : undefined;
    return { hasCurrentRows: isCurrent, hasStaleThreads: stale !== undefined };
  } catch (error) {
    throw toRegisterError(error, path);
  } finally {
    if (database?.isOpen === true) database.close();
  }
}

function checkOwner(database: DatabaseSync, path: string): void {
  const row = database.prepare("PRAGMA application_id").get() ?? {};
  if (integer(row, "application_id") === applicationId) return;
  const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  const hasLog = database.prepare("PRAGMA journal_mode").get()?.journal_mode === "wal";
  throw isEmpty && hasLog ? withoutLog(path) : notARegister(path);
}

function checkPages(database: DatabaseSync, path: string): void {
  if (statSync(path).size > checkedBytes) return;
  const row = database.prepare("PRAGMA quick_check(1)").get() ?? {};
  const verdict = row.quick_check;
  if (verdict !== "ok") throw damaged(path, String(verdict));
}

/** A young register has everything in its log until that is first moved into the file. */
function withoutLog(path: string): RegisterError {
  return new RegisterError(
    "damaged",
    `${path} has nothing in it, and its write-ahead log ${path}-wal, which holds everything at first, is missing. ` +
      "Put the log back beside it. If there is none, move the file away to begin a new register; nothing was changed.",
  );
}

function newerVersion(path: string, version: number): RegisterError {
  return new RegisterError(
    "newer_version",
    `${path} was written by a newer Signalbox (its schema is ${version}, this one knows ${latestVersion}). ` +
      "Upgrade Signalbox; nothing was changed.",
  );
}

function olderVersion(path: string, version: number): RegisterError {
  return new RegisterError(
    "older_version",
    `${path} was written by an early version of Signalbox (its schema is ${version}) that this one cannot read. ` +
      "Move the file away to begin a new register; nothing was changed.",
  );
}
