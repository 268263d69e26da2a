// Declares the tables of the shared database, creates them and brings them up to date. Several hosts may start at the same time: an advisory lock lets one
// of them do it.
import type { SharedConnection } from "./connection.ts";
import { readInteger } from "./fields.ts";
import { againstMembers, rowSecurity } from "./row-security.ts";
import { SharedError } from "./shared-error.ts";

/** How many parts the big tables have: each part's indexes stay small, and they are cleaned one by one. */
const partitions = 16;

/** Any number that no other program is likely to lock. */
const advisoryLock = 0x53_42_4f_58;

function makePartitions(table: string): string {
  return Array.from(
    { length: partitions },
    (_, part) =>
      `CREATE TABLE signalbox.${table}_${part} PARTITION OF signalbox.${table} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part});`,
  ).join("\n");
}

const firstVersion = `
CREATE SCHEMA signalbox;
CREATE TABLE signalbox.schema_version(version integer NOT NULL);

-- owner: the data folder that the name belongs to. role: who may write for it. online_until: moved on by its heartbeat.
CREATE TABLE signalbox.machines(
  machine text PRIMARY KEY, owner text NOT NULL, role name NOT NULL DEFAULT current_user, program text NOT NULL,
  control text NOT NULL, online_until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- One row per thread and machine. digest is the hash over the whole log up to last_seq. A new generation replaces the log from the beginning.
CREATE TABLE signalbox.threads(
  machine text NOT NULL, thread_id text NOT NULL, generation integer NOT NULL, last_seq bigint NOT NULL, digest bytea NOT NULL,
  agent_id text NOT NULL, cwd text NOT NULL, title text, status text NOT NULL, archived boolean NOT NULL,
  updated_at bigint NOT NULL, changed_at timestamptz NOT NULL, thread_row text NOT NULL,
  PRIMARY KEY(machine, thread_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX threads_by_id ON signalbox.threads(thread_id);
CREATE INDEX threads_by_activity ON signalbox.threads(archived, updated_at DESC, thread_id DESC);
CREATE INDEX threads_waiting ON signalbox.threads(updated_at DESC, thread_id DESC) WHERE status = 'waiting';
CREATE INDEX threads_by_agent ON signalbox.threads(agent_id, archived, machine);
CREATE INDEX threads_by_folder ON signalbox.threads(cwd, archived, machine);
CREATE INDEX threads_by_change ON signalbox.threads(changed_at);

CREATE TABLE signalbox.events(
  machine text NOT NULL, thread_id text NOT NULL, seq bigint NOT NULL, ts bigint NOT NULL, kind text NOT NULL,
  payload text NOT NULL, refs text,
  PRIMARY KEY(machine, thread_id, seq)
) PARTITION BY HASH (machine, thread_id);
${makePartitions("events")}

CREATE TABLE signalbox.blob_pieces(
  machine text NOT NULL, hash text NOT NULL, piece integer NOT NULL, bytes bytea NOT NULL,
  PRIMARY KEY(machine, hash, piece)
) PARTITION BY HASH (machine, hash);
${makePartitions("blob_pieces")}
CREATE TABLE signalbox.blob_uses(
  machine text NOT NULL, thread_id text NOT NULL, hash text NOT NULL, size bigint NOT NULL,
  PRIMARY KEY(machine, thread_id, hash)
);
CREATE INDEX blob_uses_by_hash ON signalbox.blob_uses(hash, machine);

-- Words as the register compares them: without case and accents, and parts of a path or an address are words of their own.
CREATE FUNCTION signalbox.words_of(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(regexp_replace(lower(normalize($1, NFD)), '[\\u0300-\\u036f]', '', 'g'),
    '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00bf\\u2000-\\u206f]+', ' ', 'g') $$;
-- Items that are complete, to be searched.
CREATE TABLE signalbox.items(
  machine text NOT NULL, thread_id text NOT NULL, seq bigint NOT NULL, item text NOT NULL, item_id text NOT NULL, kind text NOT NULL,
  status text, ts bigint NOT NULL, title text NOT NULL, body text NOT NULL,
  words tsvector GENERATED ALWAYS AS (to_tsvector('simple', signalbox.words_of(title || ' ' || body))) STORED,
  PRIMARY KEY(machine, thread_id, seq, item_id)
) PARTITION BY HASH (machine, thread_id);
${makePartitions("items")}
CREATE INDEX items_by_word ON signalbox.items USING gin(words);
-- The newest with a word that most of them have, and the kinds that there are.
CREATE INDEX items_by_time ON signalbox.items(ts DESC, seq DESC);
CREATE INDEX items_by_kind ON signalbox.items(kind);

-- What is counted.
CREATE TABLE signalbox.tool_calls(
  machine text NOT NULL, thread_id text NOT NULL, seq bigint NOT NULL, kind text NOT NULL, name text, status text NOT NULL,
  ended_at bigint NOT NULL, ms bigint NOT NULL, waited_ms bigint NOT NULL, paths text NOT NULL,
  PRIMARY KEY(machine, thread_id, seq)
);
CREATE INDEX tool_calls_by_end ON signalbox.tool_calls(ended_at);
CREATE TABLE signalbox.turns(
  machine text NOT NULL, thread_id text NOT NULL, turn_id text NOT NULL, status text NOT NULL, ended_at bigint NOT NULL, ms bigint NOT NULL,
  input_tokens bigint NOT NULL, output_tokens bigint NOT NULL, total_tokens bigint NOT NULL, cost double precision NOT NULL, currency text,
  PRIMARY KEY(machine, thread_id, turn_id)
);
CREATE INDEX turns_by_end ON signalbox.turns(ended_at);

-- What one machine asks of another. The signature is over all of it; a row without a fitting one is refused.
CREATE TABLE signalbox.commands(
  id uuid PRIMARY KEY, machine text NOT NULL, sender text NOT NULL, thread_id text, kind text NOT NULL, body text NOT NULL,
  sent_at bigint NOT NULL, signature bytea NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
  taken_at timestamptz, answer text, answer_signature bytea, answered_at timestamptz
);
CREATE INDEX commands_waiting ON signalbox.commands(machine, created_at) WHERE taken_at IS NULL;
CREATE INDEX commands_by_age ON signalbox.commands(created_at);

${rowSecurity}
INSERT INTO signalbox.schema_version VALUES (0);
`;

/** When calls waited for a person, as JSON: pairs of a beginning and an end. Of calls of before only how long is known. */
const waits = "ALTER TABLE signalbox.tool_calls ADD COLUMN waits text NOT NULL DEFAULT '[]'";

/** How long a call took is not always known. */
const unknownTimes = "ALTER TABLE signalbox.tool_calls ALTER COLUMN ms DROP NOT NULL";

/** Each brings the schema from the version before to its own; the first creates it. */
const migrations: readonly string[] = [firstVersion, waits, againstMembers, unknownTimes];

/** The version of the tables that this program reads and writes. */
export const knownVersion = migrations.length;

/** Throws a SharedError when the tables are of a version that this program does not know, or when the role may not create or change them. */
export async function prepareSchema(connection: SharedConnection, wanted = migrations): Promise<void> {
  const found = await readSchemaVersion(connection, wanted.length);
  if (found === wanted.length) return;
  try {
    await connection.transaction(async () => {
      await connection.query("SELECT pg_advisory_xact_lock($1)", [advisoryLock]);
      // Another host may have done it meanwhile.
      const version = await readSchemaVersion(connection, wanted.length);
      for (const migration of wanted.slice(version)) await connection.query(migration);
      await connection.query("UPDATE signalbox.schema_version SET version = $1", [wanted.length]);
    });
  } catch (error) {
    const isOlder = found > 0 && error instanceof SharedError && error.code === "refused";
    throw isOlder ? explainOlderVersion(found, wanted.length, error) : error;
  }
}

function explainOlderVersion(found: number, wanted: number, cause: Error): SharedError {
  return new SharedError(
    "refused",
    `an older Signalbox made the tables (version ${found}; this one needs ${wanted}), and this role may not change them. Run \`signalbox shared init\` as the owner.`,
    { cause },
  );
}

/** The error for tables that a newer program has made or changed. */
export function explainNewerVersion(found: number, known = knownVersion): SharedError {
  return new SharedError(
    "refused",
    `a newer Signalbox made the tables (version ${found}; this one knows ${known}). Update Signalbox on this machine.`,
  );
}

/** 0 when there are no tables yet. */
export async function readSchemaVersion(connection: SharedConnection, known = knownVersion): Promise<number> {
  const [found] = await connection.query("SELECT to_regclass('signalbox.schema_version') IS NOT NULL AS there");
  if (found?.there !== true) return 0;
  const [row] = await connection.query(
    "SELECT max(version) AS version, count(*) AS rows FROM signalbox.schema_version",
  );
  const version = readInteger(row, "rows") === 1 ? readInteger(row, "version") : -1;
  if (version > known) throw explainNewerVersion(version, known);
  if (version < 1)
    throw new SharedError(
      "refused",
      `the tables in the schema signalbox are of a version that is not known (${version}).`,
    );
  return version;
}
