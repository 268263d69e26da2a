// The files that a thread changed, in one turn or in all: files at the left, diffs at the right, comments below. Files can be restored, whole or in
// parts.

import type { ChangeRow, ThreadView, TurnRow } from "@signalbox/protocol";
import { useQuery, useThread } from "@signalbox/react";
import { useEffect, useRef, useState } from "react";
import { OpenThreadProvider } from "../../hooks/open-thread.tsx";
import { useKeys } from "../../hooks/use-keys.ts";
import { go, type Route } from "../../hooks/use-route.ts";
import { viewOfThread } from "../../stores/panes.ts";
import { focusNewContent } from "../../stores/prompt-focus.ts";
import { visible } from "../../text/visible.ts";
import { Empty } from "../shared/empty.tsx";
import { Fold } from "../shared/fold.tsx";
import { OpenFile } from "../shared/open-file.tsx";
import { ThreadHead } from "../thread/thread-head.tsx";
import { isAtWork } from "../threads/thread-actions.ts";
import { AsideSettings } from "./aside-settings.tsx";
import { ChangedFile } from "./changed-file.tsx";
import { ChangesToolbar } from "./changes-toolbar.tsx";
import { CheckpointStrip } from "./checkpoint-strip.tsx";
import { CommentDock } from "./comment-dock.tsx";
import { FileList } from "./file-list.tsx";
import RestoreDialog, { type Restore } from "./restore-dialog.tsx";

export default function ChangesPage({ route }: { route: Extract<Route, { page: "changes" }> }) {
  const { source, view, error } = useThread(route.threadId);
  if (view === null) {
    return (
      <p className="blank" role={error === null ? "status" : "alert"}>
        {error ?? "Loading …"}
      </p>
    );
  }
  return (
    <OpenThreadProvider source={source}>
      <div className="thread-main">
        <ThreadHead thread={view.thread} shows="changes" state={view.state} />
        <Changes view={view} turnId={route.turnId ?? null} path={route.path ?? null} line={route.line} />
      </div>
    </OpenThreadProvider>
  );
}

/** The changes of the whole thread beside its timeline, on a screen that has room for both. Nothing where there are none. */
export function ChangesPane({ view }: { view: ThreadView }) {
  return <Changes view={view} turnId={null} path={null} isBeside />;
}

interface ChangesProps {
  readonly view: ThreadView;
  readonly turnId: string | null;
  /** Open at this file. */
  readonly path: string | null;
  readonly line?: number | undefined;
  /** The timeline is open too: keys and comments go there. */
  readonly isBeside?: boolean;
}

function Changes({ view, turnId, path, line, isBeside = false }: ChangesProps) {
  const { thread, turns } = view;
  const args = { thread_id: thread.id, ...(turnId !== null && { turn_id: turnId }) };
  const { rows, error, isUnavailable, refresh } = useQuery("changes.list", args);
  const [restore, setRestore] = useState<Restore | null>(null);
  const content = useRef<HTMLDivElement>(null);
  // A turn's changes are known at its end; a restore is a row of its own.
  const ended = `${turns.length} ${turns.findLast((turn) => turn.ended_at !== null)?.turn_id}`;
  const seen = useRef(ended);
  useEffect(() => {
    if (seen.current === ended) return;
    seen.current = ended;
    refresh();
  }, [ended, refresh]);
  const isLoaded = rows !== null;
  useEffect(() => {
    if (!isLoaded) return;
    if (path !== null) showFile(content.current, path);
    else if (!isBeside) focusNewContent(content.current);
  }, [isLoaded, path, isBeside]);
  useKeys(
    {
      "]": () => step(content.current, ".changed-file", 1),
      "[": () => step(content.current, ".changed-file", -1),
    },
    { part: content, isWanted: !isBeside },
  );
  useKeys(
    {
      ".": () => step(content.current, ".hunk-head", 1),
      ",": () => step(content.current, ".hunk-head", -1),
    },
    { part: content },
  );
  useKeys(
    { "alt+1": () => go(viewOfThread(thread.id)), Escape: () => go(viewOfThread(thread.id)) },
    { isWanted: !isBeside },
  );
  const isRunning = isAtWork(thread.status);
  const target = restoreTarget(turns, turnId);
  const isRestore = turns.some((turn) => turn.turn_id === turnId && turn.restored_to !== null);
  if (isBeside && (rows === null || rows.length === 0)) return null;
  const parts = (
    <>
      <CheckpointStrip view={view} turnId={turnId} />
      <ChangesToolbar
        thread={thread}
        files={rows ?? []}
        onUndo={target === null ? null : () => setRestore({ toTurnId: target.turn_id })}
      />
      <Notes view={view} turnId={turnId} />
      <AsideSettings threadId={thread.id} stamp={ended} onChange={refresh} />
      {rows !== null && path !== null && !rows.some((file) => file.path === path) && (
        <p className="file-note asked-file">
          <span>
            <bdi>{visible(path)}</bdi> was not changed by {turnId === null ? "this thread" : "this turn"}.
          </span>{" "}
          <OpenFile thread={thread} path={path} line={line} />
        </p>
      )}
      {error !== null && (
        <p className={isUnavailable ? "blank" : "error"} role="alert">
          {error}
        </p>
      )}
      {rows !== null && error === null && rows.length === 0 && (
        <Empty title={turnId === null ? "No changes since the start" : "This turn changed no files"}>
          Files appear here while the agent edits them.
        </Empty>
      )}
      {rows !== null && error === null && rows.length > 0 && (
        <div className="changes">
          <FileList
            threadId={thread.id}
            files={rows}
            isRestore={isRestore}
            onChoose={(chosen) => showFile(content.current, chosen)}
          />
          <div className="changes-content" ref={content} tabIndex={-1}>
            {rows.map((file) => (
              <ChangedFile
                key={file.path}
                file={file}
                thread={thread}
                turnId={turnId}
                isRestore={isRestore}
                stamp={ended}
                onRestore={
                  target === null || isRunning ? null : (part) => setRestore({ toTurnId: target.turn_id, ...part })
                }
              />
            ))}
          </div>
        </div>
      )}
      <CommentDock thread={thread} />
      {restore !== null && (
        <RestoreDialog threadId={thread.id} restore={restore} onClose={() => setRestore(null)} onDone={refresh} />
      )}
    </>
  );
  return isBeside ? (
    <section className="thread-main changes-beside" aria-label="Changes">
      {parts}
    </section>
  ) : (
    parts
  );
}

/** The turn to whose beginning changes are undone: the chosen one, or the first. */
function restoreTarget(turns: readonly TurnRow[], turnId: string | null): TurnRow | null {
  const known = turns.filter(({ checkpoint }) => typeof checkpoint?.before === "string");
  return (turnId === null ? known[0] : known.find((turn) => turn.turn_id === turnId)) ?? null;
}

/** Lists what the checkpoints leave out, or explains why there are none. */
function Notes({ view, turnId }: { view: ThreadView; turnId: string | null }) {
  const { thread, turns } = view;
  const shown = turns.filter((turn) => turnId === null || turn.turn_id === turnId);
  const notices = new Set(shown.flatMap(({ checkpoint }) => checkpoint?.notice ?? []));
  const notKept = new Map(
    shown.flatMap(({ checkpoint }) => checkpoint?.not_kept ?? []).map((each) => [each.path, each]),
  );
  const { checkpoints } = thread;
  return (
    <div className="changes-notes">
      {checkpoints !== null && (!checkpoints.on || checkpoints.reason !== undefined) && (
        <p className="file-note" data-caution={!checkpoints.on || undefined}>
          {checkpoints.reason ?? "Changes are not kept for this thread."}
        </p>
      )}
      {[...notices].map((notice) => (
        <p key={notice} className="file-note" data-caution>
          {notice}
        </p>
      ))}
      {notKept.size > 0 && (
        <Fold
          className="file-note"
          summary={`${notKept.size} not kept: ${notKept.size === 1 ? "it" : "they"} can be neither shown nor undone`}
        >
          <ul>
            {[...notKept.values()].map(({ path, reason }) => (
              <li key={path}>
                <bdi>{path}</bdi>: {reason}
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </div>
  );
}

function showFile(content: HTMLElement | null, path: ChangeRow["path"]): void {
  const file = [...(content?.querySelectorAll<HTMLElement>(".changed-file") ?? [])].find(
    ({ dataset }) => dataset.path === path,
  );
  file?.scrollIntoView();
  file?.focus({ preventScroll: true });
}

/** Goes to the next or the previous element of the content, from where the person is. */
function step(content: HTMLElement | null, selector: string, by: 1 | -1): void {
  if (content === null) return;
  const top = content.getBoundingClientRect().top;
  const all = [...content.querySelectorAll<HTMLElement>(selector)];
  // A scroll target ends up below the edge by its margin.
  const offsets = all.map((element) =>
    Math.round(
      element.getBoundingClientRect().top - top - Number.parseFloat(getComputedStyle(element).scrollMarginTop),
    ),
  );
  const next = by === 1 ? offsets.findIndex((offset) => offset > 1) : offsets.findLastIndex((offset) => offset < -1);
  all[next]?.scrollIntoView();
}
