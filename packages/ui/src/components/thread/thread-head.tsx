// The head of a thread: its title, which can be edited here, its status, the Details button and its menu.

import type { ThreadRow } from "@signalbox/protocol";
import { useAgentLabel, useStore } from "@signalbox/react";
import { usePane, usePartName } from "../../hooks/pane.ts";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { routeBack } from "../../hooks/thread-pair.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { formatRoute } from "../../hooks/use-route.ts";
import { closeThread, currentRoute, swapThreads, toggleDetails, viewOfThread } from "../../stores/panes.ts";
import { renaming } from "../../stores/renaming.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { selectField } from "../shared/focus-field.ts";
import { Icon } from "../shared/icon.tsx";
import { WaitingNotice } from "../shell/waiting-notice.tsx";
import { gitLabel, gitTitle } from "../threads/git-label.ts";
import { machineLabel } from "../threads/machine-label.ts";
import { sandboxLabel } from "../threads/sandbox-label.ts";
import { ThreadMenu } from "../threads/thread-menu.tsx";
import { readStatus, statusLabel } from "../threads/thread-status.tsx";

interface ThreadHeadProps {
  readonly thread: ThreadRow;
  /** The view of the thread that is open. */
  readonly shows: "timeline" | "changes";
}

export function ThreadHead({ thread, shows }: ThreadHeadProps) {
  const { connection } = useSignalbox();
  const labelOf = useAgentLabel();
  const folderName = useFolderName();
  const { attempt, error } = useAttempt();
  const isPaired = usePane().side !== null;
  const isRenaming = useStore(renaming) === thread.id;
  const title = thread.title ?? "Untitled";
  const rename = async (name: string) => {
    if (renaming.get() !== thread.id) return;
    renaming.set(null);
    const next = name.trim();
    if (next === title) return;
    await attempt(() =>
      connection.request("tvx.update_thread", {
        thread_id: thread.id,
        updates: { title: next === "" ? null : next },
      }),
    );
  };
  const begin = () => renaming.set(thread.id);
  const machine = machineLabel(thread);
  useKeys({ F2: begin });
  return (
    <div className="head-frame">
      <header className="head">
        <a className="back" href={formatRoute({ page: "start" })} aria-label="All threads">
          ‹
        </a>
        {!isRenaming ? (
          <h1 dir="auto">
            <button type="button" className="rename" title="Rename (F2)" onClick={begin}>
              {title}
            </button>
          </h1>
        ) : (
          <input
            className="rename-field"
            aria-label="Thread title"
            defaultValue={title}
            maxLength={500}
            ref={selectField}
            onBlur={(event) => void rename(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter") void rename(event.currentTarget.value);
              if (event.key === "Escape") {
                event.stopPropagation();
                renaming.set(null);
              }
            }}
          />
        )}
        <span className="chip state" data-status={readStatus(thread)}>
          {statusLabel(thread)}
        </span>
        <span className="chip agent">{labelOf(thread.agent_id)}</span>
        {machine !== null && (
          <span className="chip machine" title="The machine that this thread is on">
            {machine}
          </span>
        )}
        <span className="chip folder" title={[thread.cwd, ...thread.additional_directories].join("\n")}>
          <bdi>{folderName(thread.git?.project ?? thread.cwd)}</bdi>
          {thread.additional_directories.length > 0 && ` +${thread.additional_directories.length}`}
        </span>
        {thread.git !== null && (
          <button
            type="button"
            className="chip branch"
            title={gitTitle(thread.git)}
            onClick={() => void attempt(() => connection.query("git.state", { thread_id: thread.id }))}
          >
            {gitLabel(thread.git)}
          </button>
        )}
        <nav className="thread-tabs" aria-label={usePartName("Views of this thread")}>
          <a
            href={formatRoute(shows === "changes" ? viewOfThread(thread.id) : routeBack(currentRoute(), thread.id))}
            aria-current={shows === "timeline" ? "page" : undefined}
          >
            Thread
          </a>
          <a
            href={formatRoute({ page: "changes", threadId: thread.id })}
            aria-current={shows === "changes" ? "page" : undefined}
            title="What the thread changed on the disk (Alt+2)"
          >
            Changes
          </a>
        </nav>
        {thread.sandbox !== null && (
          <span className="chip sandbox" data-by={thread.sandbox.by} title={thread.sandbox.detail}>
            {sandboxLabel(thread.sandbox)}
          </span>
        )}
        <ErrorText error={error} isInline />
        <span className="head-end">
          <WaitingNotice threadId={thread.id} />
          <button
            type="button"
            className="quiet"
            aria-label="Details"
            title="Details (Alt+.)"
            onClick={() => toggleDetails(thread.id)}
          >
            <Icon name="panel" />
          </button>
          <ThreadMenu thread={thread} />
          {isPaired && (
            <>
              <button
                type="button"
                className="quiet"
                aria-label="Swap the two threads"
                title="Swap the two threads"
                onClick={swapThreads}
              >
                ⇄
              </button>
              <button
                type="button"
                className="quiet"
                aria-label="Close this thread"
                title="Close this thread here (Alt+Shift+B)"
                onClick={() => closeThread(thread.id)}
              >
                ×
              </button>
            </>
          )}
        </span>
      </header>
    </div>
  );
}
