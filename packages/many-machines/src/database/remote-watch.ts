// Notices what other machines add to the shared database: by its notifications, and by a regular query, because a pooler may drop them.
import type { SharedConnection } from "./connection.ts";
import { readBoolean, readInteger, readText } from "./fields.ts";

/** A thread of another machine has events up to `seq` now; 0 when it is gone. */
export interface RemoteChange {
  readonly machine: string;
  readonly threadId: string;
  readonly seq: number;
}

export interface RemoteListener {
  onChanges(changes: readonly RemoteChange[]): void;
  /** There may be commands for this machine. */
  onCommands(): void;
  /** Called with the machines that came or went. */
  onPresence(machines: readonly string[]): void;
}

export const changedSql = `SELECT machine, thread_id, last_seq FROM signalbox.threads
  WHERE changed_at > $2::timestamptz - interval '10 seconds' AND machine <> $1`;

export class RemoteWatch {
  readonly #machine: string;
  readonly #listener: RemoteListener;
  readonly #online = new Map<string, boolean>();
  /** The clock of the database at the last look. */
  #since: string | null = null;

  constructor(machine: string, listener: RemoteListener) {
    this.#machine = machine;
    this.#listener = listener;
  }

  async begin(connection: SharedConnection): Promise<void> {
    connection.onNotification((payload) => {
      if (payload === JSON.stringify({ command: this.#machine })) return this.#listener.onCommands();
      const changes = parseChanges(payload);
      if (changes.length > 0 && changes[0]?.machine !== this.#machine) this.#listener.onChanges(changes);
    });
    await connection.query("LISTEN signalbox");
    await this.readNews(connection);
  }

  async readNews(connection: SharedConnection): Promise<void> {
    const [clock] = await connection.query("SELECT now()::text AS now");
    if (this.#since !== null) {
      const rows = await connection.query(changedSql, [this.#machine, this.#since]);
      const changes = rows.map((row) => ({
        machine: readText(row, "machine"),
        threadId: readText(row, "thread_id"),
        seq: readInteger(row, "last_seq"),
      }));
      if (changes.length > 0) this.#listener.onChanges(changes);
    }
    this.#since = readText(clock, "now");
    const machines = await connection.query(
      "SELECT machine, online_until > now() AS online FROM signalbox.machines WHERE machine <> $1",
      [this.#machine],
    );
    const moved = machines.filter((row) => this.#online.get(readText(row, "machine")) !== readBoolean(row, "online"));
    for (const row of moved) this.#online.set(readText(row, "machine"), readBoolean(row, "online"));
    this.#listener.onCommands();
    if (moved.length > 0) this.#listener.onPresence(moved.map((row) => readText(row, "machine")));
  }
}

/** Anyone who may write to the database can send a notification, so malformed ones are ignored. */
function parseChanges(payload: string): readonly RemoteChange[] {
  try {
    const { machine, threads } = JSON.parse(payload) as { machine?: unknown; threads?: unknown };
    if (typeof machine !== "string" || !Array.isArray(threads)) return [];
    return threads.flatMap((pair: unknown) => {
      const [threadId, seq] = Array.isArray(pair) ? (pair as unknown[]) : [];
      return typeof threadId === "string" && typeof seq === "number" ? [{ machine, threadId, seq }] : [];
    });
  } catch {
    return [];
  }
}
