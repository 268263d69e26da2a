// Says which thread a fork comes from, and shows that thread's history up to the fork: open while the fork itself is empty.

import type { ThreadView } from "@signalbox/protocol";
import { useQuery, useThreads } from "@signalbox/react";
import { useEffect, useRef, useState } from "react";
import { usePartName } from "../../hooks/pane.ts";
import { formatRoute } from "../../hooks/use-route.ts";
import { buildEntries } from "../../hooks/use-timeline.ts";
import { LoadProblem } from "../shared/load-problem.tsx";
import { EntryView } from "../timeline/entry-view.tsx";

const pageSize = 30;

export function ForkOrigin({ view }: { view: ThreadView }) {
  const parentId = view.thread.parent_thread_id;
  return parentId === null ? null : <Origin view={view} parentId={parentId} />;
}

function Origin({ view, parentId }: { view: ThreadView; parentId: string }) {
  const [choice, setChoice] = useState<boolean | null>(null);
  const isOpen = choice ?? view.timeline.length === 0;
  const { fork } = view.thread;
  const parent = useThreads()?.find((thread) => thread.id === parentId);
  return (
    <section className="fork-origin" aria-label={usePartName("Before the fork")}>
      <p>
        Forked from{" "}
        <a href={formatRoute({ page: "thread", threadId: parentId })}>{parent?.title ?? "another thread"}</a>
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setChoice(!isOpen)}>
          {isOpen ? "Hide what was before" : "Show what was before"}
        </button>
        {fork?.by === "told" && (
          <span className="hint">
            {" "}
            A new session: the agent is told with the first prompt what was said and done before.
          </span>
        )}
        {fork?.by === "agent" && <span className="hint"> The agent copied its own session.</span>}
      </p>
      {isOpen && (
        <History parentId={parentId} until={view.thread.created_at} beforeSeq={fork?.before_seq ?? undefined} />
      )}
    </section>
  );
}

/** The parent's newest items from before the fork; older ones on a click. */
function History({ parentId, until, beforeSeq }: { parentId: string; until: number; beforeSeq: number | undefined }) {
  const state = useQuery("timeline.list", { thread_id: parentId, limit: pageSize, before_seq: beforeSeq });
  const { rows, hasMore, loadMore } = state;
  const items = (rows ?? []).filter((item) => item.created_at <= until).toSorted((a, b) => a.seq - b.seq);
  const list = useRef<HTMLOListElement>(null);
  const isLoaded = rows !== null;
  useEffect(() => {
    // The end of the history is what the fork goes on from.
    if (isLoaded) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [isLoaded]);
  if (state.error !== null) return <LoadProblem what="The thread it was forked from" state={state} />;
  return (
    <ol className="parent-history" ref={list} tabIndex={0} aria-label="History before the fork">
      {hasMore && (
        <li>
          <button type="button" className="quiet" onClick={loadMore}>
            Load earlier
          </button>
        </li>
      )}
      {buildEntries({ items }).map((entry) => (
        <li key={entry.key}>
          <EntryView entry={entry} onFold={() => {}} onToggleRun={() => {}} />
        </li>
      ))}
    </ol>
  );
}
