// Brings a file to the schema of this version, one numbered step after the other. A step that could lose something is
// preceded by a copy of the whole file; a failed step leaves the file as it was.
import type { DatabaseSync } from "node:sqlite";
import { makePrivate } from "./connection.ts";
import { allMigrations, applicationId, type Migration } from "./schema.ts";

export function schemaVersion(database: DatabaseSync): number {
  const row = database.prepare("PRAGMA user_version").get();
  return Number(row?.user_version ?? 0);
}

export function latestVersion(migrations: readonly Migration[] = allMigrations): number {
  return migrations.reduce((latest, { version }) => Math.max(latest, version), 0);
}

/** For a file that `checkFile` let pass. Gives the path of the copy that was made, or null when none was needed. */
export function migrate(database: DatabaseSync, path: string, migrations = allMigrations): string | null {
  const from = schemaVersion(database);
  const latest = latestVersion(migrations);
  const pending = migrations.filter(({ version }) => version > from).toSorted((a, b) => a.version - b.version);
  if (pending.length === 0) return null;
  const copy = from > 0 && pending.some(({ risky }) => risky) ? `${path}.before-v${latest}-${Date.now()}` : null;
  if (copy !== null) {
    makePrivate(copy);
    database.prepare("VACUUM INTO ?").run(copy);
  }
  for (const { version, sql } of pending) {
    database.exec("BEGIN IMMEDIATE");
    try {
      database.exec(sql);
      database.exec(`PRAGMA user_version = ${version}; PRAGMA application_id = ${applicationId}`);
      database.exec("COMMIT");
    } catch (error) {
      // Some errors (disk full) have rolled back already.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }
  return copy;
}
