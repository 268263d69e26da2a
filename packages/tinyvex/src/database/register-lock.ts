// Makes sure that only one process writes a file. The lock is an open write transaction on a small SQLite file beside the register: the kernel
// releases it when the process dies, so no lock is ever stale. Its one row names the holder.
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { RegisterError } from "../register.ts";
import { makePrivate } from "./connection.ts";
import { integer } from "./row.ts";
import { sqliteCode } from "./sqlite-error.ts";

export interface RegisterLock {
  release(): void;
}

export function lockRegister(path: string): RegisterLock {
  if (statSync(`${path}.lock`, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new RegisterError("not_a_register", `${path}.lock is a folder; the lock has to be a file. Move it away.`);
  }
  makePrivate(`${path}.lock`);
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    // Only the lock counts, not what survives a power cut.
    lock.exec("PRAGMA synchronous = OFF; BEGIN IMMEDIATE");
    lock.exec("CREATE TABLE IF NOT EXISTS holder(pid INTEGER NOT NULL); DELETE FROM holder");
    lock.prepare("INSERT INTO holder VALUES (?)").run(process.pid);
    lock.exec("COMMIT; BEGIN IMMEDIATE");
    return { release: () => lock.close() };
  } catch (error) {
    const holder = isBusy(error) ? readHolder(lock) : null;
    lock.close();
    if (!isBusy(error)) throw error;
    throw new RegisterError(
      "in_use",
      `${path} is in use by ${holder === null ? "another process" : `process ${holder}`}. ` +
        "Stop that Signalbox first, or open the register read-only.",
      { cause: error },
    );
  }
}

function isBusy(error: unknown): boolean {
  return sqliteCode(error) === 5;
}

function readHolder(lock: DatabaseSync): number | null {
  try {
    const row = lock.prepare("SELECT pid FROM holder").get();
    return row === undefined ? null : integer(row, "pid");
  } catch {
    // The holder is only just writing its row: the lock is taken all the same.
    return null;
  }
}
