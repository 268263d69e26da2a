// The head of a thread in two rows. The first says what it is: its title, which can be edited here, its state, its views, its menu.

import type { ThreadRow, ThreadStateRow } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import { usePane, usePartName } from "../../hooks/pane.ts";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { routeBack } from "../../hooks/thread-pair.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { formatRoute } from "../../hooks/use-route.ts";
import { closeThread, currentRoute, swapThreads, toggleDetails, viewOfThread } from "../../stores/panes.ts";
import { renaming } from "../../stores/renaming.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { selectField } from "../shared/focus-field.ts";
import { Icon } from "../shared/icon.tsx";
import { ThreadMenu } from "../threads/thread-menu.tsx";
import { readStatus, StatusLamp, statusLabel } from "../threads/thread-status.tsx";
import { ThreadFacts } from "./thread-facts.tsx";

interface ThreadHeadProps {
  readonly thread: ThreadRow;
  /** The view of the thread that is open. */
  readonly shows: "timeline" | "changes";
  readonly state: ThreadStateRow | null;
}

export function ThreadHead({ thread, shows, state }: ThreadHeadProps) {
  const { connection } = useSignalbox();
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
  useKeys({ F2: begin });
  return (
    <div className="head-frame">
      <header className="head">
        <div className="head-what">
          <a className="back" href={formatRoute({ page: "start" })} aria-label="All threads">
            <Icon name="left" />
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
            <StatusLamp thread={thread} isNamed={false} />
            <span className="state-word">{statusLabel(thread)}</span>
          </span>
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
          <ErrorText error={error} isInline />
          <span className="head-end">
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
        </div>
        <ThreadFacts thread={thread} state={state} />
      </header>
    </div>
  );
}
