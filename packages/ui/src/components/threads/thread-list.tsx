// The list of threads: those that wait for the person first, then by folder, latest activity first. The filter and the numbers beside
// folders are answered by the host, over all threads.

import type { ThreadRow } from "@signalbox/protocol";
import { loadMoreThreads, useQuery, useStore, useThreads, useWaitingThreads } from "@signalbox/react";
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { formatRoute, type Route } from "../../hooks/use-route.ts";
import { foldedFolders } from "../../stores/preferences.ts";
import { Empty } from "../shared/empty.tsx";
import { IconLink } from "../shared/icon-link.tsx";
import { LoadProblem } from "../shared/load-problem.tsx";
import { Signal } from "../shared/mark.tsx";
import { FolderSection } from "./folder-section.tsx";
import { ThreadLink } from "./thread-link.tsx";
import { inListOrder, threadSections } from "./thread-sections.ts";

const snapshotSize = 50;
const pageSize = 200;

export function ThreadList({ route, active }: { route: Route; active: string | null }) {
  const all = useThreads();
  const { deletions } = useSignalbox();
  const deleted = useStore(deletions.store);
  const waiting = useWaitingThreads();
  const folded = useStore(foldedFolders);
  const [filter, setFilter] = useState("");
  const [showsArchived, setShowsArchived] = useState(false);
  const found = useFoundThreads(filter, showsArchived);
  const older = useOlderThreads(showsArchived);
  const { countOf, state: counting } = useFolderCounts(all, showsArchived);
  const open = listRouteThreads(route);
  const isFiltered = found.rows !== null;
  const shown = useMemo(() => {
    const deletedIds = new Set(deleted.map((deletion) => deletion.threadId));
    return (found.rows ?? all ?? []).filter(
      (thread) => !deletedIds.has(thread.id) && (isFiltered || thread.archived === showsArchived || thread.waiting > 0),
    );
  }, [all, deleted, found.rows, isFiltered, showsArchived]);
  const sections = useMemo(() => threadSections(shown, waiting), [shown, waiting]);
  // A filter looks into every folder.
  const isFolded = (folder: string) => !isFiltered && folded.includes(folder);
  const visible = inListOrder({ ...sections, folders: sections.folders.filter(([folder]) => !isFolded(folder)) });
  const tabStop = (visible.find((thread) => thread.id === active) ?? visible[0])?.id ?? null;
  const link = { open, tabStop };
  return (
    <nav className="threads" aria-label="Threads">
      <div className="find">
        <a className="brand" href={formatRoute({ page: "start" })} title="Signalbox">
          <Signal />
          <span className="visually-hidden">Signalbox</span>
        </a>
        <input
          type="search"
          aria-label="Filter threads"
          placeholder="Filter threads"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <IconLink
          icon="search"
          name="Search"
          title="Search everything (Ctrl+Shift+F)"
          href={formatRoute({ page: "search" })}
        />
        <IconLink icon="new" name="New thread" title="New thread (Alt+N)" href={formatRoute({ page: "new" })} />
      </div>
      <div className="folders" data-scroller onKeyDown={moveFocus}>
        <LoadProblem what="The matches" state={found} />
        {sections.waiting.length > 0 && (
          <section className="waiting-threads">
            <h2>
              <span>Waiting for you</span>
              <span>{sections.waiting.length}</span>
            </h2>
            {sections.waiting.map(({ thread, question }) => (
              <ThreadLink
                key={thread.id}
                thread={thread}
                isCurrent={open.includes(thread.id)}
                isTabStop={thread.id === tabStop}
                question={question}
              />
            ))}
          </section>
        )}
        {sections.pinned.length > 0 && (
          <section className="pinned-threads">
            <h2>
              <span>Pinned</span>
            </h2>
            {sections.pinned.map((thread) => (
              <ThreadLink
                key={thread.id}
                thread={thread}
                isCurrent={open.includes(thread.id)}
                isTabStop={thread.id === tabStop}
              />
            ))}
          </section>
        )}
        {sections.folders.map(([folder, members]) => (
          <FolderSection
            key={folder}
            folder={folder}
            threads={members}
            count={isFiltered ? null : (countOf(folder) ?? members.length)}
            isFolded={isFolded(folder)}
            {...link}
          />
        ))}
        {shown.length === 0 && all !== null && <EmptyList filter={filter} isArchived={showsArchived} />}
        <LoadProblem what="How many threads a folder has" state={counting} />
        {(isFiltered ? found.hasMore : older !== null) && (
          <button type="button" className="quiet older" onClick={isFiltered ? found.loadMore : () => older?.()}>
            {isFiltered ? "More matches" : "Older threads"}
          </button>
        )}
        {(all?.length ?? 0) > 0 && (
          <button
            type="button"
            className="quiet older"
            aria-pressed={showsArchived}
            onClick={() => setShowsArchived(!showsArchived)}
          >
            {showsArchived ? "Back to all threads" : "Archived threads"}
          </button>
        )}
      </div>
      <footer>
        <IconLink icon="chart" name="Statistics" href={formatRoute({ page: "statistics" })} />
        <IconLink icon="settings" name="Settings" href={formatRoute({ page: "settings" })} />
      </footer>
    </nav>
  );
}

function listRouteThreads(route: Route): readonly string[] {
  if (!("threadId" in route)) return [];
  return route.page === "thread" && route.beside !== undefined ? [route.threadId, route.beside] : [route.threadId];
}

/** The list is one stop of Tab: arrow keys go from thread to thread, and to the names of folders. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const here = event.target instanceof Element ? event.target.closest("[data-stop]") : null;
  if (step === 0 || here === null) return;
  event.preventDefault();
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-stop]")];
  stops[stops.findIndex((stop) => stop === here) + step]?.focus();
}

function EmptyList({ filter, isArchived }: { filter: string; isArchived: boolean }) {
  if (filter !== "") return <p className="hint">No matches.</p>;
  if (isArchived) return <p className="hint">No archived threads.</p>;
  return (
    <Empty title="No threads yet.">
      Each task gets its own thread. They stand here, with the ones that wait for you on top.
    </Empty>
  );
}

/** The threads that fit the filter, of all threads, with the newest state of those that are loaded; null rows without a filter. */
function useFoundThreads(filter: string, archived: boolean) {
  const text = useDeferredValue(filter.trim());
  const state = useQuery("threads.list", text === "" ? null : { text, archived, limit: pageSize });
  const { rows, hasMore, loadMore } = state;
  const all = useThreads();
  const found = useMemo(() => {
    if (text === "" || rows === null) return null;
    const known = new Map((all ?? []).map((thread) => [thread.id, thread]));
    return rows.map((row): ThreadRow => known.get(row.id) ?? row);
  }, [text, rows, all]);
  return { rows: found, hasMore, loadMore, error: text === "" ? null : state.error, refresh: state.refresh };
}

/** Loads the next page of older threads; null when there is none. */
function useOlderThreads(archived: boolean): (() => void) | null {
  const { connection, threads: store } = useSignalbox();
  const count = useThreads()?.length ?? 0;
  /** Where the next page begins; null after the last one. Absent before the first. */
  const [cursors, setCursors] = useState<Readonly<Record<string, string | null>>>({});
  const cursor = cursors[String(archived)];
  const load = () => {
    const page = { archived, limit: pageSize, ...(typeof cursor === "string" ? { cursor } : {}) };
    loadMoreThreads(connection, store, page).then(
      (next) => setCursors((known) => ({ ...known, [String(archived)]: next })),
      // After a reconnect, the next click tries again.
      () => {},
    );
  };
  const needsFirstPage = archived && cursor === undefined;
  useEffect(() => {
    if (needsFirstPage) load();
  });
  return cursor === null || (cursor === undefined && count < snapshotSize) ? null : load;
}

/** How many threads a folder has, loaded or not; undefined until that is known. */
function useFolderCounts(threads: readonly ThreadRow[] | null, archived: boolean) {
  const state = useQuery("facets.list", {});
  const { rows, refresh } = state;
  const signature = `${threads?.length} ${threads?.filter((thread) => thread.archived).length}`;
  const counted = useRef(signature);
  useEffect(() => {
    if (counted.current === signature) return;
    counted.current = signature;
    refresh();
  }, [signature, refresh]);
  const counts = useMemo(() => {
    const folders = (rows ?? []).filter(({ facet }) => facet === "cwd");
    return new Map(folders.map((row) => [row.value, archived ? row.archived : row.threads]));
  }, [rows, archived]);
  return { countOf: (folder: string) => counts.get(folder), state };
}
