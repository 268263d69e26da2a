// Brings a file to the schema of this version, one numbered step after the other. A step that could lose something is
// preceded by a copy of the whole file; a failed step leaves the file as it was.
import type { DatabaseSync } from "node:sqlite";
import { makePrivate } from "./connection.ts";
import {
  applicationId,
  differences,
  elicitations,
  firstSchema,
  overAllThreads,
  queuedTurns,
  rememberedRules,
  sameBlobs,
  startingThreads,
  threadSandboxes,
  toolCallPaths,
} from "./schema.ts";

interface Migration {
  readonly version: number;
  /** True when data could be lost if the step were wrong: a copy is made first. */
  readonly risky: boolean;
  readonly sql: string;
}

export const allMigrations: readonly Migration[] = [
  { version: 1, risky: false, sql: firstSchema },
  { version: 2, risky: false, sql: elicitations },
  { version: 3, risky: false, sql: toolCallPaths },
  { version: 4, risky: false, sql: sameBlobs },
  { version: 5, risky: false, sql: queuedTurns },
  { version: 6, risky: false, sql: differences },
  { version: 7, risky: false, sql: rememberedRules },
  { version: 8, risky: false, sql: overAllThreads },
  { version: 9, risky: false, sql: threadSandboxes },
  { version: 10, risky: false, sql: startingThreads },
];

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
