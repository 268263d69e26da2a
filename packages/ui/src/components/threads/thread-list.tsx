// The list of threads, grouped by folder, latest activity first, with a filter.
import type { ThreadRow } from "@signalbox/protocol";
import { useMemo, useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAgentLabel } from "../../hooks/use-agent-label.ts";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { addressOf, type Route } from "../../hooks/use-route.ts";
import { useStore } from "../../hooks/use-store.ts";
import { useThreads } from "../../hooks/use-threads.ts";
import { loadMoreThreads } from "../../stores/threads-store.ts";
import { fuzzyScore } from "../../text/fuzzy.ts";
import { ThreadLink } from "./thread-link.tsx";

const snapshotSize = 50;

export function ThreadList({ route }: { route: Route }) {
  const { connection, threads: store, deletions } = useSignalbox();
  const all = useThreads();
  const deleted = useStore(deletions.store);
  const labelOf = useAgentLabel();
  const folderName = useFolderName();
  const [filter, setFilter] = useState("");
  const [showsArchived, setShowsArchived] = useState(false);
  const [hasLoadedOlder, setHasLoadedOlder] = useState(false);
  const current = "threadId" in route ? route.threadId : null;
  const matching = useMemo(() => {
    const deletedIds = new Set(deleted.map((deletion) => deletion.threadId));
    return (all ?? []).filter(
      (thread) =>
        !deletedIds.has(thread.id) &&
        thread.archived === showsArchived &&
        fits(thread, labelOf(thread.agent_id), filter),
    );
  }, [all, deleted, filter, showsArchived, labelOf]);
  const folders = useMemo(() => [...Map.groupBy(matching, (thread) => thread.cwd)], [matching]);
  const load = (archived: boolean) => void loadMoreThreads(connection, store, { archived }).catch(() => {});
  const mayHaveOlder = !hasLoadedOlder && (all?.length ?? 0) >= snapshotSize;
  const loadOlder = () => {
    setHasLoadedOlder(true);
    load(false);
  };
  const changeFilter = (text: string) => {
    setFilter(text);
    // The filter is for all threads, not only for those in the snapshot.
    if (text !== "" && mayHaveOlder) loadOlder();
  };
  const toggleArchived = () => {
    if (!showsArchived) load(true);
    setShowsArchived(!showsArchived);
  };
  return (
    <nav className="threads" aria-label="Threads">
      <a className="brand" href={addressOf({ page: "start" })}>
        <span className="mast" aria-hidden="true">
          <i />
          <i />
        </span>
        Signalbox
      </a>
      <div className="find">
        <input
          type="search"
          aria-label="Filter threads"
          placeholder="Filter threads"
          value={filter}
          onChange={(event) => changeFilter(event.target.value)}
        />
        <a className="quiet" href={addressOf({ page: "search" })} title="Search everything (/)">
          Search <kbd>/</kbd>
        </a>
      </div>
      <div className="folders" data-scroller>
        {folders.map(([folder, members]) => (
          <section key={folder}>
            <h2 title={folder}>
              <span>
                <bdi>{folderName(folder)}</bdi>
              </span>
              <span>{members.length}</span>
            </h2>
            {members.map((thread) => (
              <ThreadLink key={thread.id} thread={thread} isCurrent={thread.id === current} />
            ))}
          </section>
        ))}
        {matching.length === 0 && all !== null && <p className="hint">{emptyText(filter, showsArchived)}</p>}
        {!showsArchived && mayHaveOlder && (
          <button type="button" className="quiet older" onClick={loadOlder}>
            Older threads
          </button>
        )}
        {(all?.length ?? 0) > 0 && (
          <button type="button" className="quiet older" aria-pressed={showsArchived} onClick={toggleArchived}>
            {showsArchived ? "Back to all threads" : "Archived threads"}
          </button>
        )}
      </div>
      <footer>
        <a href={addressOf({ page: "start" })}>New thread</a>
        <a href={addressOf({ page: "statistics" })}>Statistics</a>
        <a href={addressOf({ page: "settings" })}>Settings</a>
      </footer>
    </nav>
  );
}

function emptyText(filter: string, isArchived: boolean): string {
  if (filter !== "") return "No matches.";
  if (isArchived) return "No archived threads.";
  return "No threads yet.";
}

function fits(thread: ThreadRow, agent: string, filter: string): boolean {
  if (filter.trim() === "") return true;
  return [thread.title ?? "Untitled", thread.cwd, agent].some((text) => {
    const score = fuzzyScore(filter, text);
    return score !== null && score < 2;
  });
}
