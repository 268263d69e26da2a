// Lists the files that the thread changed, as the host knows them. A click goes to the last edit; of a file that only commands changed, to its changes.

import type { ChangedFileRow, ThreadView } from "@signalbox/protocol";
import { useQuery } from "@signalbox/react";
import { useEffect, useRef } from "react";
import { formatRoute } from "../../hooks/use-route.ts";
import { shortPath } from "../../text/paths.ts";
import { LoadProblem } from "../shared/load-problem.tsx";
import { fileChanges } from "../tool-call/file-changes.ts";

interface ChangedFilesProps {
  readonly thread: ThreadView["thread"];
  /** A later change of a file that is listed already is seen here. */
  readonly timeline: ThreadView["timeline"];
}

const pageSize = 15;

/** Of one edit only: the lines of several edits of a file add up to more than what is changed in the end, which the Changes view shows. */
function Lines({ added, removed }: Pick<ChangedFileRow, "added" | "removed">) {
  if (added === null || removed === null)
    return (
      <span title="Its texts are too large to count lines here. The last edit and Changes show them.">not counted</span>
    );
  return (
    <span>
      <span className="plus">+{added}</span> {removed > 0 && <span className="minus">−{removed}</span>}
    </span>
  );
}

export function ChangedFiles({ thread, timeline }: ChangedFilesProps) {
  const state = useQuery("changed_files.list", { thread_id: thread.id, limit: pageSize });
  const { rows, hasMore, loadMore, refresh } = state;
  const lastChange = timeline.findLast(
    (item) => item.type === "tool_call" && item.status === "completed" && fileChanges(item).length > 0,
  );
  // Also when a turn ends: everything it changed is stored then.
  const isKept = thread.checkpoints?.on === true;
  const signature = `${thread.files_changed} ${isKept ? "" : lastChange?.seq} ${thread.status}`;
  const listed = useRef(signature);
  useEffect(() => {
    if (listed.current === signature) return;
    listed.current = signature;
    refresh();
  }, [signature, refresh]);
  if (rows === null || rows.length === 0) return <LoadProblem what="The changed files" state={state} />;
  const isFromCalls = rows.some(({ source }) => source === "tool_calls");
  return (
    <section>
      <h2 title={isFromCalls ? "This thread has no checkpoints: changes by commands are not known." : undefined}>
        {isFromCalls ? "Files in tool calls" : "Changed files"} <span>{thread.files_changed}</span>
      </h2>
      <ul className="files">
        {rows.map(({ path, calls, added, removed, last_seq }) => (
          <li key={path}>
            <a
              href={formatRoute(
                last_seq === null
                  ? { page: "changes", threadId: thread.id, path: shortPath(path, thread.cwd) }
                  : { page: "thread", threadId: thread.id, seq: last_seq },
              )}
              title={`${path}\n${last_seq === null ? "Go to its changes." : "Go to the last edit."}`}
            >
              <bdi>{shortPath(path, thread.cwd)}</bdi>
            </a>
            {calls > 1 && isFromCalls ? <span>{calls} edits</span> : <Lines added={added} removed={removed} />}
          </li>
        ))}
      </ul>
      <LoadProblem what="The changed files" state={state} />
      {hasMore && (
        <button type="button" className="quiet" onClick={loadMore}>
          More files
        </button>
      )}
    </section>
  );
}
