// The view of one thread: head, timeline, questions, composer, and the Details panel at the right.

import { recordedAgentName, type ThreadRow } from "@signalbox/protocol";
import { useStore, useThread } from "@signalbox/react";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { loadPart } from "../../connection/load-part.ts";
import { OpenThreadProvider } from "../../hooks/open-thread.tsx";
import { usePane } from "../../hooks/pane.ts";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { useMedia } from "../../hooks/use-media.ts";
import { formatRoute, go, type ThreadRoute } from "../../hooks/use-route.ts";
import { phraseTerm, searchTerms } from "../../hooks/use-text-highlights.ts";
import { finding } from "../../stores/finding.ts";
import { handingOver } from "../../stores/handing-over.ts";
import { useLayer } from "../../stores/layers.ts";
import { outline } from "../../stores/outline.ts";
import { coveringDetails, toggleDetails } from "../../stores/panes.ts";
import { changesBeside, sidePanel } from "../../stores/preferences.ts";
import { findPrompt } from "../../stores/prompt-focus.ts";
import { markSeen } from "../../stores/seen-store.ts";
import { Composer } from "../composer/composer.tsx";
import { DetailsPanel } from "../details/details-panel.tsx";
import { QuestionDock } from "../permission/question-dock.tsx";
import { ErrorText } from "../shared/error-text.tsx";
import { hasNoProcess } from "../threads/thread-actions.ts";
import { Timeline } from "../timeline/timeline.tsx";
import { readingPosition } from "../timeline/use-reading-position.ts";
import type { Target } from "../timeline/use-target.ts";
import { FindBar } from "./find-bar.tsx";
import { ForkOrigin } from "./fork-origin.tsx";
import { ThreadHead } from "./thread-head.tsx";
import { WorkStrip } from "./work-strip.tsx";

const ChangesPane = lazy(() =>
  loadPart(async () => ({ default: (await import("../changes/changes-page.tsx")).ChangesPane })),
);
const HandOver = lazy(() => loadPart(() => import("./hand-over.tsx")));
const OutlineSheet = lazy(() => loadPart(() => import("./outline-sheet.tsx")));

export function ThreadPage({ route }: { route: ThreadRoute }) {
  const { source, ...thread } = useThread(route.threadId);
  const { view, error } = thread;
  const [found, setFound] = useState<Target | null>(null);
  const [findText, setFindText] = useState<string | null>(null);
  const isPaired = usePane().side !== null;
  const isCovered = useStore(coveringDetails) === route.threadId;
  const hasPanelBeside = useStore(sidePanel) && !isPaired;
  const isNarrow = useMedia("(max-width: 1080px)");
  useLayer((isPaired && isCovered) || (isNarrow && hasPanelBeside), () => toggleDetails(route.threadId));
  const isHandingOver = useStore(handingOver) === route.threadId;
  // Each history entry is followed once: where the person was reading in it, or the item in its address.
  const linked = useMemo(
    () => readingPosition(route.threadId) ?? (route.seq === undefined ? null : { seq: route.seq }),
    [route],
  );
  const [jump, setJump] = useState<{ readonly item: Target; readonly after: Target | null } | null>(null);
  // A newer address comes before what was chosen in the outline earlier.
  const chosen = jump !== null && jump.after === linked ? jump.item : linked;
  const hasRoom = useMedia("(min-width: 2000px)") && !isPaired;
  const isBesideWanted = useStore(changesBeside);
  const hasOutline = useStore(outline) === route.threadId;
  const searched = route.words ?? "";
  const highlights = useMemo(
    () => (findText === null ? searchTerms(searched) : phraseTerm(findText)),
    [findText, searched],
  );
  useEffect(
    () =>
      finding.subscribe(() => {
        if (finding.get() !== route.threadId) return;
        finding.set(null);
        setFindText((now) => now ?? "");
      }),
    [route.threadId],
  );
  const lastSeq = view?.thread.last_seq;
  useEffect(() => {
    const update = () => {
      if (lastSeq !== undefined && document.visibilityState === "visible") markSeen(route.threadId, lastSeq);
    };
    update();
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, [route.threadId, lastSeq]);
  useKeys({
    "mod+f": () => setFindText((now) => now ?? ""),
    "alt+.": () => toggleDetails(route.threadId),
    "alt+o": () => outline.set(route.threadId),
    "alt+2": () => go({ page: "changes", threadId: route.threadId }),
  });
  if (view === null) {
    return error === null ? (
      <p className="blank" role="status">
        Loading …
      </p>
    ) : (
      <div className="blank">
        <p role="alert" className="error">
          {error}
        </p>
        <a href={formatRoute({ page: "start" })}>All threads</a>
      </div>
    );
  }
  return (
    <OpenThreadProvider source={source}>
      <div className="thread-page" data-panel={hasPanelBeside}>
        <div className="thread-main">
          <ThreadHead thread={view.thread} shows="timeline" state={view.state} />
          <ErrorText error={error} />
          {findText !== null && (
            <FindBar
              thread={thread}
              text={findText}
              onText={setFindText}
              onFound={setFound}
              onClose={() => {
                setFindText(null);
                setFound(null);
                findPrompt()?.focus();
              }}
            />
          )}
          <ForkOrigin view={view} />
          <Timeline thread={thread} target={found ?? chosen} highlights={highlights} />
          <WorkStrip view={view} />
          <QuestionDock view={view} />
          {recordedAgentName(view.thread.agent_id) === null ? (
            <>
              <SessionNotice thread={view.thread} />
              <Composer view={view} />
            </>
          ) : (
            <RecordedNotice thread={view.thread} />
          )}
        </div>
        {hasRoom && isBesideWanted && (
          <Suspense fallback={null}>
            <ChangesPane view={view} />
          </Suspense>
        )}
        {hasOutline && (
          <Suspense fallback={null}>
            <OutlineSheet threadId={route.threadId} onChoose={(seq) => setJump({ item: { seq }, after: linked })} />
          </Suspense>
        )}
        {isHandingOver && (
          <Suspense fallback={null}>
            <HandOver thread={view.thread} />
          </Suspense>
        )}
        {(hasPanelBeside || (isPaired && isCovered)) && <DetailsPanel view={view} />}
      </div>
    </OpenThreadProvider>
  );
}

/** Says why a thread can only be read: its agent runs in another program. */
function RecordedNotice({ thread }: { thread: ThreadRow }) {
  return (
    <div className="session-notice" role="note">
      <span>
        {recordedAgentName(thread.agent_id)} runs in another program, and Signalbox records it. Prompts and permissions
        stay there. Here you can read, or
      </span>
      <button type="button" className="button" onClick={() => handingOver.set(thread.id)}>
        Hand over
      </button>
      <span>to an agent of Signalbox.</span>
    </div>
  );
}

/** Says that no agent process runs for this thread, and offers to resume it. */
function SessionNotice({ thread }: { thread: ThreadRow }) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  if (!hasNoProcess(thread.status)) return null;
  const resume = () => void attempt(() => connection.request("session.resume", { thread_id: thread.id }));
  return (
    <div className="session-notice">
      <span>{thread.status === "closed" ? "Session closed." : "Agent stopped."}</span>
      <button type="button" className="button" disabled={isBusy} onClick={resume}>
        {isBusy ? "Resuming …" : "Resume"}
      </button>
      <span>or just send a message.</span>
      <ErrorText error={error} />
    </div>
  );
}
