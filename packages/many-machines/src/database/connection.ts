// One connection to the shared database that never hangs: connecting and each statement have a limit, after which the socket is destroyed.
import { Socket } from "node:net";
import { guard } from "@signalbox/base";
import pg from "pg";
import type { SharedAddress } from "./address.ts";
import type { Row } from "./fields.ts";
import { explainError, SharedError } from "./shared-error.ts";

/** After these a connection counts as one that hangs. */
export interface Limits {
  readonly connectMs: number;
  readonly statementMs: number;
}

const usualLimits: Limits = { connectMs: 5000, statementMs: 20_000 };

/** PostgreSQL 15. */
const minVersion = 150_000;

/** The types `bigint` and `numeric` (of sums) by their number: times, counts and places are far below 2^53. */
const numberTypes: ReadonlySet<number> = new Set([20, 1700]);

export interface SharedConnection {
  /** Throws a SharedError. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs the work in one transaction. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
  onNotification(listener: (payload: string) => void): void;
  /** Called once when the connection breaks by itself. */
  onLost(listener: (error: SharedError) => void): void;
  close(): Promise<void>;
}

/** `name` is what the database's own lists call this connection. An aborted `signal` ends the attempt. */
export async function connect(
  address: SharedAddress,
  name: string,
  signal: AbortSignal,
  { connectMs, statementMs }: Limits = usualLimits,
): Promise<SharedConnection> {
  const { host, port, user, password, database, tls, shown, secrets } = address;
  // Held here, so that a connection that hangs can be destroyed.
  const socket = new Socket();
  const client = new pg.Client({
    host,
    port,
    user,
    // Without one, PGPASSWORD and the password file of PostgreSQL's own programs count.
    ...(password === undefined ? {} : { password }),
    database,
    ssl: tls,
    application_name: name,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
    keepAlive: true,
    types: {
      getTypeParser: (type: number, format?: "text" | "binary") =>
        numberTypes.has(type) ? Number : pg.types.getTypeParser(type, format),
    },
    stream: () => socket,
  });
  const explain = (error: unknown) => explainError(error, shown, secrets);
  let lost: SharedError | null = null;
  let isClosing = false;
  const listeners: ((error: SharedError) => void)[] = [];
  const lose = (error: unknown) => {
    socket.destroy();
    if (lost !== null || isClosing) return;
    lost = explain(error);
    for (const listener of listeners) listener(lost);
  };
  client.on("error", lose);
  client.on("end", () => lose(Object.assign(new Error("interrupted"), { code: "ECONNRESET" })));
  const giveUp = () => socket.destroy();
  signal.addEventListener("abort", giveUp);
  try {
    signal.throwIfAborted();
    await client.connect();
    const version = Number((await client.query<Row>("SHOW server_version_num")).rows[0]?.server_version_num);
    if (version < minVersion)
      throw new SharedError(
        "refused",
        `${shown} is PostgreSQL ${Math.floor(version / 10_000)}; 15 or newer is needed.`,
      );
  } catch (error) {
    isClosing = true;
    socket.destroy();
    throw explain(error);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
  const query = async (sql: string, values?: readonly unknown[]): Promise<readonly Row[]> => {
    if (lost !== null) throw lost;
    try {
      const result = await client.query<Row>(sql, values === undefined ? undefined : [...values]);
      return Array.isArray(result) ? [] : result.rows;
    } catch (error) {
      // A statement that the server refused leaves a connection that works; everything else does not.
      if (!(error instanceof pg.DatabaseError)) lose(error);
      throw explain(error);
    }
  };
  return {
    query,
    async transaction(work) {
      // On the server too: what an interrupted connection holds is free again soon. Only for the transaction, because a pooler may be in between.
      await query(
        `BEGIN; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL idle_in_transaction_session_timeout = ${statementMs}`,
      );
      try {
        const result = await work();
        await query("COMMIT");
        return result;
      } catch (error) {
        if (lost === null) await query("ROLLBACK").catch(() => {});
        throw error;
      }
    },
    onNotification: (listener) => {
      // A connection whose notifications cannot be handled is made again.
      client.on(
        "notification",
        guard(lose, ({ payload = "" }: pg.Notification) => listener(payload)),
      );
    },
    onLost: (listener) => listeners.push(listener),
    async close() {
      if (lost !== null || isClosing) return;
      isClosing = true;
      const timer = setTimeout(() => socket.destroy(), 1000);
      await client.end().catch(() => {});
      clearTimeout(timer);
    },
  };
}
