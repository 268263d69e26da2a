// Removes threads of one machine from the shared database, in transactions that are each short: the biggest thread runs into no time limit, and a vacuum
// keeps up with the rows that are left dead. A removal that was interrupted is done again.
import type { SharedConnection } from "./connection.ts";
import { readIntegerOrNull, readText } from "./fields.ts";

/** One transaction deletes about so many events, and what was made of them. */
const maxEvents = 20_000;
const maxBlobs = 100;
const everything = Number.MAX_SAFE_INTEGER;
/** One notification names so many threads: PostgreSQL takes 8,000 bytes. */
export const maxNamed = 50;

/** Each is explained in a test. */
export const removalSql = {
  threads: "DELETE FROM signalbox.threads WHERE machine = $1 AND thread_id = ANY($2::text[])",
  lastSeq: `SELECT t.id, (SELECT max(e.seq) FROM signalbox.events AS e WHERE e.machine = $1 AND e.thread_id = t.id) AS last_seq
    FROM unnest($2::text[]) AS t(id)`,
  events: "DELETE FROM signalbox.events WHERE machine = $1 AND thread_id = ANY($2::text[]) AND seq <= $3",
  items: "DELETE FROM signalbox.items WHERE machine = $1 AND thread_id = ANY($2::text[]) AND seq <= $3",
  toolCalls: "DELETE FROM signalbox.tool_calls WHERE machine = $1 AND thread_id = ANY($2::text[]) AND seq <= $3",
  turns: "DELETE FROM signalbox.turns WHERE machine = $1 AND thread_id = ANY($2::text[])",
  blobs: `WITH gone AS (DELETE FROM signalbox.blob_uses WHERE machine = $1 AND thread_id = $2 AND hash IN (
      SELECT hash FROM signalbox.blob_uses WHERE machine = $1 AND thread_id = $2 LIMIT ${maxBlobs}) RETURNING hash),
    pieces AS (DELETE FROM signalbox.blob_pieces AS p USING gone WHERE p.machine = $1 AND p.hash = gone.hash
      AND NOT EXISTS (SELECT 1 FROM signalbox.blob_uses AS u WHERE u.hash = gone.hash AND u.machine = $1 AND u.thread_id <> $2))
    SELECT count(*) AS n FROM gone`,
} as const;

/** The threads are invisible after the first transaction. */
export async function removeThreads(
  connection: SharedConnection,
  machine: string,
  threadIds: readonly string[],
): Promise<void> {
  for (let start = 0; start < threadIds.length; start += maxNamed) {
    const ids = threadIds.slice(start, start + maxNamed);
    await connection.transaction(async () => {
      await connection.query(removalSql.threads, [machine, ids]);
      await notify(
        connection,
        machine,
        ids.map((id) => [id, 0]),
      );
    });
    for (const { ids: some, upTo } of await planSlices(connection, machine, ids)) {
      await connection.transaction(async () => {
        for (const sql of [removalSql.events, removalSql.items, removalSql.toolCalls])
          await connection.query(sql, [machine, some, upTo]);
      });
    }
    await connection.transaction(() => connection.query(removalSql.turns, [machine, ids]));
    for (const id of ids) while (await removeSomeBlobs(connection, machine, id));
  }
}

/** Groups small threads, and divides a big one into parts from its beginning. */
async function planSlices(connection: SharedConnection, machine: string, ids: readonly string[]) {
  const found: { ids: string[]; upTo: number; events: number }[] = [];
  for (const row of await connection.query(removalSql.lastSeq, [machine, ids])) {
    const id = readText(row, "id");
    // Without events it may still have what was made of them.
    const lastSeq = readIntegerOrNull(row, "last_seq") ?? 0;
    for (let upTo = maxEvents; upTo < lastSeq; upTo += maxEvents) found.push({ ids: [id], upTo, events: maxEvents });
    const last = found.at(-1);
    const events = lastSeq % maxEvents;
    if (last?.upTo !== everything || last.events + events > maxEvents)
      found.push({ ids: [id], upTo: everything, events });
    else {
      last.ids.push(id);
      last.events += events;
    }
  }
  return found;
}

async function removeSomeBlobs(connection: SharedConnection, machine: string, id: string): Promise<boolean> {
  const [row] = await connection.transaction(() => connection.query(removalSql.blobs, [machine, id]));
  return (readIntegerOrNull(row, "n") ?? 0) > 0;
}

/** One notification for all that a transaction changed: PostgreSQL lets notifying transactions commit one after the other. */
export async function notify(
  connection: SharedConnection,
  machine: string,
  threads: readonly (readonly [string, number])[],
): Promise<void> {
  await connection.query("SELECT pg_notify('signalbox', $1)", [JSON.stringify({ machine, threads })]);
}
