// Loads rows with a query. Loads again when the arguments change, after a reconnect, after a failure that may pass, and on `refresh`.

import { mayPass, OfflineError, retryDelayMs } from "@signalbox/client";
import { HostError, messageOf, type QueryArgs, type QueryName, type QueryRow } from "@signalbox/protocol";
import { useCallback, useEffect, useRef, useState } from "react";
import { useSignalboxClient } from "./signalbox.tsx";
import { useConnectionStatus } from "./use-connection-status.ts";

export interface QueryState<Row> {
  /** Null until the first answer. */
  readonly rows: readonly Row[] | null;
  /** The rows answer what was asked before: other arguments, whose answer is not there yet. */
  readonly isStale: boolean;
  /** There is no answer for this thread, or not now: the error says why. */
  readonly isUnavailable: boolean;
  readonly error: string | null;
  readonly hasMore: boolean;
  readonly refresh: () => void;
  /** The same; resolves when the answer to it is there, or could not be had. */
  readonly reload: () => Promise<void>;
  readonly loadMore: () => void;
}

interface Answer<Row> {
  /** The arguments that the rows answer. */
  readonly key: string | null;
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
  const [answer, setAnswer] = useState<Answer<QueryRow<Name>>>({
    key: null,
    rows: null,
    isUnavailable: false,
    error: null,
    cursor: null,
  });
  const wantedKey = useRef(key);
  const shownRound = useRef(0);
  const failures = useRef(0);
  /** Counts the questions that were sent. */
  const sent = useRef(0);
  /** Those who wait for the answer to a later question than the one that was the last then. */
  const waiting = useRef<{ readonly after: number; readonly resolve: () => void }[]>([]);
  useEffect(() => {
    wantedKey.current = key;
    if (!isOpen || key === null) return;
    let isNewest = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const question = ++sent.current;
    const release = () => {
      for (const { after, resolve } of waiting.current) if (after < question) resolve();
      waiting.current = waiting.current.filter(({ after }) => after >= question);
    };
    // An answer to an earlier refresh counts too until a newer one is there: else frequent refreshes of a slow host would show nothing.
    const counts = () => wantedKey.current === key && round >= shownRound.current;
    connection.query(name, JSON.parse(key) as QueryArgs<Name>).then(
      ({ rows, next_cursor: cursor = null }) => {
        if (!counts()) return;
        shownRound.current = round;
        failures.current = 0;
        setAnswer({ key, rows, cursor, isUnavailable: false, error: null });
        release();
      },
      (error: unknown) => {
        if (!isNewest) return;
        setAnswer((before) => ({ ...before, ...describeProblem(error) }));
        release();
        if (mayPass(error)) timer = setTimeout(() => setRound((now) => now + 1), retryDelayMs(++failures.current));
      },
    );
    return () => {
      isNewest = false;
      clearTimeout(timer);
    };
  }, [connection, name, key, round, isOpen]);
  const { cursor } = answer;
  const loadMore = useCallback(() => {
    if (cursor === null || key === null) return;
    connection.query(name, { ...(JSON.parse(key) as QueryArgs<Name>), cursor }).then(
      (more) =>
        setAnswer((before) =>
          // Not where it was pressed twice, or the rows are others meanwhile.
          before.key !== key || before.cursor !== cursor
            ? before
            : { ...before, rows: [...(before.rows ?? []), ...more.rows], cursor: more.next_cursor ?? null },
        ),
      (error: unknown) => setAnswer((before) => ({ ...before, ...describeProblem(error) })),
    );
  }, [connection, name, key, cursor]);
  const refresh = useCallback(() => setRound((now) => now + 1), []);
  const reload = useCallback(() => {
    refresh();
    return new Promise<void>((resolve) => void waiting.current.push({ after: sent.current, resolve }));
  }, [refresh]);
  return {
    rows: answer.rows,
    isStale: answer.key !== key,
    isUnavailable: answer.isUnavailable,
    error: answer.error,
    hasMore: cursor !== null,
    refresh,
    reload,
    loadMore,
  };
}

function describeProblem(error: unknown): { isUnavailable: boolean; error: string | null } {
  // Without a connection: it loads again after the reconnect.
  if (error instanceof OfflineError) return { isUnavailable: false, error: null };
  const isUnavailable = error instanceof HostError && error.code === "unavailable";
  return { isUnavailable, error: messageOf(error) };
}
