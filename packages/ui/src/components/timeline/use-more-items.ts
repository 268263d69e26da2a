// Loads older items when the person comes near the first one, and newer items where an old part of the thread is shown. The calls of a
// sub-agent take one line however many there are: after some pages that added hardly anything, loading waits for a click.
import { type OpenThread, useConnectionStatus } from "@signalbox/react";
import { useEffect, useState } from "react";
import { useThreadSource } from "../../hooks/open-thread.tsx";

interface Range {
  readonly thread: OpenThread;
  /** How many entries the timeline has, and which of them are in the document. */
  readonly count: number;
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly isPaused: boolean;
}

const nearEdge = 8;
const maxEmptyPages = 5;
const minNewEntries = 8;

/** Gives the function that loads the next older page, where that waits for a click. */
export function useMoreItems({ thread, count, firstIndex, lastIndex, isPaused }: Range): (() => void) | null {
  const source = useThreadSource();
  const isPast = thread.past !== null;
  const hasOlder = thread.past?.hasOlder ?? thread.view?.has_more ?? false;
  // Of the items, not of the entries: a page of a sub-agent's calls may add no entry.
  const items = thread.past?.items ?? thread.view?.timeline;
  const oldest = items?.[0]?.seq;
  const newest = items?.at(-1)?.seq;
  const [loaded, setLoaded] = useState({ oldest, count, emptyPages: 0 });
  if (loaded.oldest !== oldest) {
    const isEmpty = count - loaded.count < minNewEntries;
    setLoaded({ oldest, count, emptyPages: isEmpty ? loaded.emptyPages + 1 : 0 });
  }
  // A request that was made without a connection, or lost with it, is repeated.
  const isOnline = useConnectionStatus() === "open";
  const isNearStart = firstIndex < nearEdge;
  const needsClick = loaded.emptyPages >= maxEmptyPages;
  useEffect(() => {
    if (!isOnline || isPaused || !hasOlder || !isNearStart || needsClick || oldest === undefined) return;
    source.loadOlder().catch(() => {});
  }, [source, isOnline, isPaused, hasOlder, isNearStart, needsClick, oldest]);
  const isNearEnd = lastIndex > count - nearEdge;
  useEffect(() => {
    if (isOnline && !isPaused && isPast && isNearEnd && newest !== undefined) source.loadNewer().catch(() => {});
  }, [source, isOnline, isPaused, isPast, isNearEnd, newest]);
  return hasOlder && isNearStart && needsClick ? () => setLoaded({ oldest, count, emptyPages: 0 }) : null;
}
