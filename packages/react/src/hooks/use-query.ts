// Loads rows with a query. Loads again when the arguments change, after a reconnect, and on `refresh`.
import { messageOf, type QueryArgs, type QueryName, type QueryRow } from "@signalbox/protocol";
import { useCallback, useEffect, useState } from "react";
import { RequestError } from "../connection/connection.ts";
import { queryPage } from "../connection/query.ts";
import { useSignalboxClient } from "./signalbox.tsx";
import { useConnectionStatus } from "./use-connection-status.ts";

export interface QueryState<Row> {
  /** Null until the first answer. */
  readonly rows: readonly Row[] | null;
  /** The host does not support this query. */
  readonly isUnavailable: boolean;
  readonly error: string | null;
  readonly hasMore: boolean;
  readonly refresh: () => void;
  readonly loadMore: () => void;
}

interface Answer<Row> {
  readonly rows: readonly Row[] | null;
  readonly isUnavailable: boolean;
  readonly error: string | null;
  readonly cursor: string | null;
}

/** `args` null: do not load (yet). */
export function useQuery<Name extends QueryName>(name: Name, args: QueryArgs<Name> | null): QueryState<QueryRow<Name>> {
  const { connection } = useSignalboxClient();
  const isOpen = useConnectionStatus() === "open";
  /** Counts the refreshes. */
  const [round, setRound] = useState(0);
  const key = args === null ? null : JSON.stringify(args);
  const asked = key === null ? null : `${round} ${key}`;
  const [answer, setAnswer] = useState<Answer<QueryRow<Name>>>({
    rows: null,
    isUnavailable: false,
    error: null,
    cursor: null,
  });
  useEffect(() => {
    if (!isOpen || asked === null) return;
    let isCurrent = true;
    queryPage(connection, name, JSON.parse(asked.slice(asked.indexOf(" "))) as QueryArgs<Name>).then(
      ({ rows, cursor }) => {
        if (isCurrent) setAnswer({ rows, cursor, isUnavailable: false, error: null });
      },
      (error: unknown) => {
        if (isCurrent) setAnswer((before) => ({ ...before, ...problemOf(error) }));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [connection, name, asked, isOpen]);
  const { cursor } = answer;
  const loadMore = useCallback(() => {
    if (cursor === null || key === null) return;
    queryPage(connection, name, { ...(JSON.parse(key) as QueryArgs<Name>), cursor }).then(
      (more) =>
        setAnswer((before) => ({ ...before, rows: [...(before.rows ?? []), ...more.rows], cursor: more.cursor })),
      (error: unknown) => setAnswer((before) => ({ ...before, ...problemOf(error) })),
    );
  }, [connection, name, key, cursor]);
  const refresh = useCallback(() => setRound((now) => now + 1), []);
  return {
    rows: answer.rows,
    isUnavailable: answer.isUnavailable,
    error: answer.error,
    hasMore: cursor !== null,
    refresh,
    loadMore,
  };
}

function problemOf(error: unknown): { isUnavailable: boolean; error: string | null } {
  // Without a connection: it loads again after the reconnect.
  if (error instanceof RequestError && error.code === "offline") return { isUnavailable: false, error: null };
  const isUnavailable = error instanceof RequestError && error.code === "unavailable";
  return { isUnavailable, error: messageOf(error) };
}
