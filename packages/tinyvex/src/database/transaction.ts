// Runs work in one transaction: all of it is stored, or nothing is.
import type { DatabaseSync } from "node:sqlite";

export function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    // Some errors (disk full) have rolled back already.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
