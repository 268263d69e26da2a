// Brings the log of a file to the version of this program, one numbered step after the other. A step that could lose something is preceded by a
// copy of the whole file; a failed step leaves the file as it was.
import type { DatabaseSync } from "node:sqlite";
import { makePrivate } from "./connection.ts";
import { applicationId, latestVersion, logSchema, type Migration, migrations } from "./schema.ts";
import { inTransaction } from "./transaction.ts";

export function schemaVersion(database: DatabaseSync): number {
  const row = database.prepare("PRAGMA user_version").get();
  return Number(row?.user_version ?? 0);
}

/** For a file that `checkFile` accepted. Returns the path of the copy that was made, or null when none was needed. */
export function migrate(database: DatabaseSync, path: string, steps = migrations): string | null {
  const from = schemaVersion(database);
  if (from === 0) {
    run(database, { version: latestVersion, risky: false, sql: logSchema });
    return migrate(database, path, steps);
  }
  const pending = steps.filter(({ version }) => version > from).toSorted((a, b) => a.version - b.version);
  for (const { check } of pending) check?.(database);
  const copy = pending.some(({ risky }) => risky) ? `${path}.before-v${pending.at(-1)?.version}-${Date.now()}` : null;
  if (copy !== null) {
    makePrivate(copy);
    database.prepare("VACUUM INTO ?").run(copy);
  }
  for (const step of pending) run(database, step);
  return copy;
}

function run(database: DatabaseSync, { version, sql }: Migration): void {
  inTransaction(database, () => {
    database.exec(sql);
    database.exec(`PRAGMA user_version = ${version}; PRAGMA application_id = ${applicationId}`);
  });
}
