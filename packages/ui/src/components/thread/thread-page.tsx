// What happened: one thread, its timeline, its questions, and the place to say what comes next; at the right the state of things.
import { useEffect, useMemo, useState } from "react";
import { OpenThreadProvider } from "../../hooks/open-thread.tsx";
import { useKeys } from "../../hooks/use-keys.ts";
import { phraseOf, wordsOf } from "../../hooks/use-marked-words.ts";
import { addressOf, type Route } from "../../hooks/use-route.ts";
import { useStore } from "../../hooks/use-store.ts";
import { useThread } from "../../hooks/use-thread.ts";
import { sidePanel } from "../../stores/preferences.ts";
import { markSeen } from "../../stores/seen-store.ts";
import { Composer } from "../composer/composer.tsx";
import { QuestionDock } from "../permission/question-dock.tsx";
import { StatePanel } from "../state/state-panel.tsx";
import { type Target, Timeline } from "../timeline/timeline.tsx";
import { FindBar } from "./find-bar.tsx";
import { SessionNotice } from "./session-notice.tsx";
import { ThreadHead } from "./thread-head.tsx";
import { WorkingLine } from "./working-line.tsx";

export function ThreadPage({ route }: { route: Extract<Route, { page: "thread" }> }) {
  const { source, ...thread } = useThread(route.threadId);
  const { view, error } = thread;
  const [found, setFound] = useState<Target | null>(null);
  const [words, setWords] = useState<string | null>(null);
  const isPanelOpen = useStore(sidePanel);
  const { seq } = route;
  const place = useMemo(() => (seq === undefined ? null : { seq }), [seq]);
  const searched = route.words ?? "";
  const marked = useMemo(() => (words === null ? wordsOf(searched) : phraseOf(words)), [words, searched]);
  const lastSeq = view?.thread.last_seq;
  useEffect(() => {
    const look = () => {
      if (lastSeq !== undefined && document.visibilityState === "visible") markSeen(route.threadId, lastSeq);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [route.threadId, lastSeq]);
  useKeys({ "mod+f": () => setWords((now) => now ?? ""), p: () => sidePanel.set(!sidePanel.get()) });
  if (view === null) {
    return error === null ? (
      <p className="blank" role="status">
        Opening …
      </p>
    ) : (
      <div className="blank">
        <p role="alert" className="error">
          {error}
        </p>
        <a href={addressOf({ page: "start" })}>All threads</a>
      </div>
    );
  }
  return (
    <OpenThreadProvider source={source}>
      <div className="thread-page" data-panel={isPanelOpen}>
        <div className="thread-main">
          <ThreadHead thread={view.thread} />
          {error !== null && (
            <p role="alert" className="error">
              {error}
            </p>
          )}
          {words !== null && (
            <FindBar
              thread={thread}
              words={words}
              onWords={setWords}
              onFound={setFound}
              onClose={() => {
                setWords(null);
                setFound(null);
              }}
            />
          )}
          <Timeline thread={thread} target={found ?? place} words={marked} />
          <WorkingLine view={view} />
          <QuestionDock view={view} />
          <SessionNotice thread={view.thread} />
          <Composer view={view} />
        </div>
        {isPanelOpen && <StatePanel view={view} />}
      </div>
    </OpenThreadProvider>
  );
}
