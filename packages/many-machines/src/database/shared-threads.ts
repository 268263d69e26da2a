// Writes the log of one machine into the shared database: blobs, events and the thread's row, in transactions that can be repeated.
import type { PortableBlob, PortableEvent, PortableItems, ThreadSummaryRow } from "@signalbox/protocol";
import type { SharedConnection } from "./connection.ts";
import { readBytes, readInteger, readText } from "./fields.ts";
import { SharedError } from "./shared-error.ts";
import { notify } from "./thread-removal.ts";

const pieceBytes = 1024 * 1024;

/** How much of a thread's log the shared database has. */
export interface SharedPosition {
  readonly generation: number;
  readonly seq: number;
  readonly digest: Buffer;
}

/** The events of a thread that one transaction adds. */
export interface Addition {
  readonly thread: ThreadSummaryRow;
  readonly generation: number;
  readonly digest: Buffer;
  readonly events: readonly PortableEvent[];
  readonly completed: PortableItems;
}

export class SharedThreads {
  readonly #connection: SharedConnection;
  readonly #machine: string;

  constructor(connection: SharedConnection, machine: string) {
    this.#connection = connection;
    this.#machine = machine;
  }

  async readLastSeqs(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#connection.query("SELECT thread_id, last_seq FROM signalbox.threads WHERE machine = $1", [
      this.#machine,
    ]);
    return new Map(rows.map((row) => [readText(row, "thread_id"), readInteger(row, "last_seq")]));
  }

  /** Locks the rows until the transaction ends: one of a connection that was interrupted may still be under way. */
  async lock(threadIds: readonly string[]): Promise<ReadonlyMap<string, SharedPosition>> {
    const rows = await this.#connection.query(
      `SELECT thread_id, generation, last_seq, digest FROM signalbox.threads WHERE machine = $1 AND thread_id = ANY($2)
       ORDER BY thread_id FOR UPDATE`,
      [this.#machine, threadIds],
    );
    return new Map(
      rows.map((row) => [
        readText(row, "thread_id"),
        {
          generation: readInteger(row, "generation"),
          seq: readInteger(row, "last_seq"),
          digest: readBytes(row, "digest"),
        },
      ]),
    );
  }

  /** Stores blobs that the thread will use; those that this machine has stored already are only noted. */
  async putBlobs(
    threadId: string,
    blobs: readonly PortableBlob[],
    read: (hash: string) => Promise<Uint8Array>,
  ): Promise<void> {
    for (const { hash, size, bytes: own } of blobs) {
      const known = await this.#connection.query(
        "SELECT 1 FROM signalbox.blob_uses WHERE machine = $1 AND hash = $2 LIMIT 1",
        [this.#machine, hash],
      );
      const content = known.length > 0 ? Buffer.alloc(0) : Buffer.from(own ?? (await read(hash)));
      await this.#connection.transaction(async () => {
        await this.#connection.query(
          "INSERT INTO signalbox.blob_uses(machine, thread_id, hash, size) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
          [this.#machine, threadId, hash, size],
        );
        for (let piece = 0; piece * pieceBytes < content.length; piece++) {
          await this.#connection.query(
            "INSERT INTO signalbox.blob_pieces(machine, hash, piece, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            [this.#machine, hash, piece, content.subarray(piece * pieceBytes, (piece + 1) * pieceBytes)],
          );
        }
      });
    }
  }

  /** Inside a transaction that holds the threads' locks. */
  async add(additions: readonly Addition[]): Promise<void> {
    const rows = additions.flatMap(({ thread, events }) => events.map((event) => ({ id: thread.id, ...event })));
    const inserted = await this.#connection.query(
      `INSERT INTO signalbox.events(machine, thread_id, seq, ts, kind, payload, refs)
       SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[])
       ON CONFLICT DO NOTHING RETURNING 1`,
      [
        this.#machine,
        rows.map(({ id }) => id),
        rows.map(({ seq }) => seq),
        rows.map(({ ts }) => ts),
        rows.map(({ kind }) => replaceNul(kind)),
        rows.map(({ payload }) => payload),
        rows.map(({ refs }) => (refs.length === 0 ? null : JSON.stringify(refs))),
      ],
    );
    // According to the locked rows these events are new, so another program writes under this machine's name.
    if (inserted.length !== rows.length)
      throw new SharedError("refused", `another writer has added events under the machine name ${this.#machine}.`);
    await this.#addCompleted(additions);
    const threads = additions.map(({ thread }) => thread);
    await this.#connection.query(
      `INSERT INTO signalbox.threads(machine, thread_id, generation, last_seq, digest, agent_id, cwd, title, status, archived,
         updated_at, changed_at, thread_row)
       SELECT $1, thread_id, generation, last_seq, digest, agent_id, cwd, title, status, archived, updated_at, clock_timestamp(),
         thread_row
       FROM unnest($2::text[], $3::int[], $4::bigint[], $5::bytea[], $6::text[], $7::text[], $8::text[], $9::text[], $10::boolean[],
         $11::bigint[], $12::text[]) AS s(thread_id, generation, last_seq, digest, agent_id, cwd, title, status, archived,
         updated_at, thread_row)
       ON CONFLICT (machine, thread_id) DO UPDATE SET generation = excluded.generation, last_seq = excluded.last_seq,
         digest = excluded.digest, agent_id = excluded.agent_id, cwd = excluded.cwd, title = excluded.title, status = excluded.status,
         archived = excluded.archived, updated_at = excluded.updated_at, changed_at = excluded.changed_at,
         thread_row = excluded.thread_row`,
      [
        this.#machine,
        threads.map(({ id }) => id),
        additions.map(({ generation }) => generation),
        additions.map(({ events }) => events.at(-1)?.seq ?? 0),
        additions.map(({ digest }) => digest),
        threads.map(({ agent_id: agent }) => replaceNul(agent)),
        threads.map(({ cwd }) => replaceNul(cwd)),
        threads.map(({ title }) => (title === null ? null : replaceNul(title))),
        threads.map(({ status }) => status),
        threads.map(({ archived }) => archived),
        threads.map(({ updated_at: at }) => at),
        threads.map((thread) => JSON.stringify(thread)),
      ],
    );
    await notify(
      this.#connection,
      this.#machine,
      additions.map(({ thread, events }) => [thread.id, events.at(-1)?.seq ?? 0]),
    );
  }

  async #addCompleted(additions: readonly Addition[]): Promise<void> {
    const of = <Key extends "items" | "tool_calls" | "turns">(key: Key) =>
      additions.flatMap(({ thread, completed }) =>
        completed[key].map((row: PortableItems[Key][number]) => ({ ...row, thread_id: thread.id })),
      );
    await upsert(this.#connection, this.#machine, "items", ["thread_id", "seq", "item_id"], of("items"), {
      thread_id: "text",
      seq: "bigint",
      item: "text",
      item_id: "text",
      kind: "text",
      status: "text",
      ts: "bigint",
      title: "text",
      body: "text",
    });
    await upsert(
      this.#connection,
      this.#machine,
      "tool_calls",
      ["thread_id", "seq"],
      of("tool_calls").map((call) => ({
        ...call,
        paths: JSON.stringify(call.paths),
        waits: JSON.stringify(call.waits),
      })),
      {
        thread_id: "text",
        seq: "bigint",
        kind: "text",
        name: "text",
        status: "text",
        ended_at: "bigint",
        ms: "bigint",
        waited_ms: "bigint",
        waits: "text",
        paths: "text",
      },
    );
    await upsert(this.#connection, this.#machine, "turns", ["thread_id", "turn_id"], of("turns"), {
      thread_id: "text",
      turn_id: "text",
      status: "text",
      ended_at: "bigint",
      ms: "bigint",
      input_tokens: "bigint",
      output_tokens: "bigint",
      total_tokens: "bigint",
      cost: "double precision",
      currency: "text",
    });
  }
}

/** Adds rows to a table, or puts them in place of those with the same key, in one statement. */
async function upsert<Column extends string>(
  connection: SharedConnection,
  machine: string,
  table: string,
  key: readonly NoInfer<Column>[],
  rows: readonly Readonly<Record<Column, string | number | null>>[],
  types: Readonly<Record<Column, string>>,
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(types) as Column[];
  const arrays = columns.map((column, index) => `$${index + 2}::${types[column]}[]`).join(", ");
  const others = columns.filter((column) => !key.includes(column));
  // An item can be there twice in one batch only with the same key and content: the rows are those of now.
  await connection.query(
    `INSERT INTO signalbox.${table}(machine, ${columns.join(", ")}) SELECT $1, * FROM unnest(${arrays})
     ON CONFLICT (machine, ${key.join(", ")}) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(", ")}`,
    [
      machine,
      ...columns.map((column) =>
        rows.map(({ [column]: value }) => (typeof value === "string" ? replaceNul(value).toWellFormed() : value)),
      ),
    ],
  );
}

/** PostgreSQL's texts cannot hold the character 0. */
function replaceNul(value: string): string {
  return value.replaceAll("\0", "\uFFFD");
}
