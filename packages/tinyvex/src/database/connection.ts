// Opens SQLite the way the register needs it: write-ahead log, foreign keys, no writes by surprise.
import { DatabaseSync } from "node:sqlite";

/** How long a write waits for a foreign lock before it reports `busy`; short, because the whole host waits with it. */
const BUSY_TIMEOUT_MS = 50;

export function openWriter(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  // NORMAL: a commit survives the death of the process at once, and the death of the machine after the next checkpoint.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304");
  return database;
}

export function openReader(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: 5000 });
}
