// The tables of the log: what cannot be made again. They have a version (`user_version`), and a change of them is a migration. Every other table
// of the file holds rows that are made from the log, and may be dropped at any time (`row-tables.ts`).
import type { DatabaseSync } from "node:sqlite";

export const applicationId = 0x53_42_4f_58;

export const logTables = ["acp_events", "blobs", "blob_chunks", "blob_uses", "deleted_threads", "projects", "meta"];

const newTables = `
-- Threads whose deletion has begun and is not finished.
CREATE TABLE deleted_threads(thread_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
-- rows: the hash of the declaration that the row tables were made from.
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/** The schema of a new file. */
export const logSchema = `
-- id is the order over all threads. refs: the places of long strings, which are blobs. base: payload is a difference from the payload with that seq.
CREATE TABLE acp_events(
  id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL,
  ts INTEGER NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL, refs TEXT, base INTEGER,
  UNIQUE(thread_id, seq)
) STRICT;

-- hash is null while a blob grows. same_as: it grew to what another blob already held. The bytes are in blob_chunks; the column stays empty.
CREATE TABLE blobs(
  id INTEGER PRIMARY KEY, hash TEXT, size INTEGER NOT NULL, bytes BLOB, same_as INTEGER REFERENCES blobs(id)
) STRICT;
CREATE UNIQUE INDEX blobs_by_hash ON blobs(hash) WHERE hash IS NOT NULL;
CREATE INDEX blobs_by_same ON blobs(same_as) WHERE same_as IS NOT NULL;
CREATE TABLE blob_chunks(
  blob_id INTEGER NOT NULL REFERENCES blobs(id) ON DELETE CASCADE, offset INTEGER NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY(blob_id, offset)
) STRICT;
-- used_by: 'log', or 'rows' for what a rebuild makes again.
CREATE TABLE blob_uses(
  thread_id TEXT NOT NULL, blob_id INTEGER NOT NULL REFERENCES blobs(id), used_by TEXT NOT NULL,
  PRIMARY KEY(thread_id, used_by, blob_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_uses_by_blob ON blob_uses(blob_id);

-- A public name that is reserved: nothing writes it yet.
CREATE TABLE projects(
  id TEXT PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT;
${newTables}`;

export interface Migration {
  /** The version that it leads to, from the one before. */
  readonly version: number;
  /** True when data could be lost if the step were wrong: a copy is made first. */
  readonly risky: boolean;
  readonly sql: string;
  /** Throws when this file cannot be migrated. Nothing has been changed then. */
  readonly check?: (database: DatabaseSync) => void;
}

/** Version 13 had the row tables in the same numbering; its log differs only in these. */
const separateLog = `
${newTables}
INSERT INTO deleted_threads SELECT id FROM threads WHERE deleting = 1;
INSERT INTO blob_chunks(blob_id, offset, bytes) SELECT id, 0, bytes FROM blobs WHERE bytes IS NOT NULL;
UPDATE blobs SET bytes = NULL WHERE bytes IS NOT NULL;
`;

/** In a file that began before version 6, `refs` may say where strings were removed from a payload. */
function refusePackedPayloads(database: DatabaseSync): void {
  const packed = database.prepare("SELECT 1 FROM acp_events WHERE refs LIKE '[[%' LIMIT 1").get();
  if (packed !== undefined)
    throw new Error("It holds events in a form that was never released and can no longer be read.");
}

export const migrations: readonly Migration[] = [
  { version: 14, risky: false, sql: separateLog, check: refusePackedPayloads },
];

export const latestVersion = 14;
/** The oldest version that can be migrated. */
export const oldestVersion = 13;
