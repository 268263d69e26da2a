// The whole page: the list of threads at the left, the current view in the middle. Less common views load when first opened.
import { SignalboxProvider, useStore, useThreads, useWaitingThreads } from "@signalbox/react";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { SearchPage } from "./components/search/search-page.tsx";
import { brokenView } from "./components/shared/broken-view.tsx";
import { ErrorBoundary } from "./components/shared/error-boundary.tsx";
import { Attention } from "./components/shell/attention.tsx";
import { CommandPalette } from "./components/shell/command-palette.tsx";
import {
  ConnectionNotice,
  CornerNotices,
  ListeningNotice,
  RebuildNotice,
  SharingNotice,
} from "./components/shell/notices.tsx";
import { WaitingNotice } from "./components/shell/waiting-notice.tsx";
import { StartPage } from "./components/start/start-page.tsx";
import { ThreadPanes } from "./components/thread/thread-panes.tsx";
import { ThreadList } from "./components/threads/thread-list.tsx";
import { inListOrder, threadSections } from "./components/threads/thread-sections.ts";
import { loadPart } from "./connection/load-part.ts";
import { activeThread, shownRoute } from "./hooks/thread-pair.ts";
import { useKeys } from "./hooks/use-keys.ts";
import { useMedia } from "./hooks/use-media.ts";
import { formatRoute, go, type Route, useRoute } from "./hooks/use-route.ts";
import { losing } from "./stores/losing.ts";
import { showNotice } from "./stores/notices.ts";
import { lastUsed, roomForTwo, showThread } from "./stores/panes.ts";
import { theme } from "./stores/preferences.ts";
import { focusNewPrompt } from "./stores/prompt-focus.ts";
import type { Signalbox } from "./stores/signalbox.ts";

const EventLogPage = lazy(() => loadPart(() => import("./components/event-log/event-log-page.tsx")));
const ChangesPage = lazy(() => loadPart(() => import("./components/changes/changes-page.tsx")));
const StatisticsPage = lazy(() => loadPart(() => import("./components/statistics/statistics-page.tsx")));
const ToolCallsPage = lazy(() => loadPart(() => import("./components/tool-calls/tool-calls-page.tsx")));
const KeysHelp = lazy(() => loadPart(() => import("./components/shell/keys-help.tsx")));
const LossDialog = lazy(() => loadPart(() => import("./components/threads/loss-dialog.tsx")));
const SettingsPage = lazy(() => loadPart(() => import("./components/settings/settings-page.tsx")));

export function App({ signalbox }: { signalbox: Signalbox | null }) {
  const chosen = useStore(theme);
  useEffect(() => {
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
  }, [chosen]);
  if (signalbox === null) return <NoToken />;
  return (
    <SignalboxProvider client={signalbox}>
      <Views />
    </SignalboxProvider>
  );
}

function Views() {
  const address = useRoute();
  const hasRoom = useMedia(roomForTwo);
  const route = useMemo(() => shownRoute(address, hasRoom), [address, hasRoom]);
  const [sheet, setSheet] = useState<"help" | "palette" | "beside" | null>(null);
  const threadId = activeThread(route, useStore(lastUsed));
  const step = useStep(threadId);
  const isEmpty = useThreads()?.length === 0;
  // Without threads, a narrow screen starts with the form.
  const shown = route.page === "start" && isEmpty ? "new" : route.page;
  // The head of a thread has both itself.
  const hasHead = shown === "thread" || shown === "changes";
  // Children are drawn first, so the prompt of the new view is there, unless it still loads.
  useEffect(focusNewPrompt, [address]);
  useKeys({
    "alt+/": () => setSheet("help"),
    "mod+k": () => setSheet("palette"),
    "alt+b": () => {
      if (hasRoom) setSheet("beside");
      else showNotice("Two threads side by side need a window that is at least 1,400 pixels wide.");
    },
    "mod+shift+f": toSearch,
    "alt+n": () => go({ page: "new" }),
    "alt+,": () => go({ page: "settings" }),
    "alt+j": () => step.by(1),
    "alt+k": () => step.by(-1),
    "alt+w": step.toWaiting,
  });
  return (
    <div className="app" data-page={shown}>
      <button type="button" className="skip-link" onClick={skipToContent}>
        Skip to content
      </button>
      <ThreadList route={route} active={threadId} />
      <main className="main" tabIndex={-1}>
        <ConnectionNotice />
        <ListeningNotice />
        <SharingNotice />
        <RebuildNotice />
        {!hasHead && <WaitingNotice threadId={null} />}
        {shown !== "start" && !hasHead && (
          <a className="back" href={formatRoute({ page: "start" })}>
            ‹ Threads
          </a>
        )}
        <ErrorBoundary key={route.page === "thread" ? route.page : `${route.page} ${threadId}`} fallback={brokenView}>
          <Suspense fallback={<p className="blank">Loading …</p>}>
            <Page route={route} />
          </Suspense>
        </ErrorBoundary>
      </main>
      <CornerNotices />
      <Attention threadId={threadId} />
      {useStore(losing) !== null && (
        <Suspense fallback={null}>
          <LossDialog />
        </Suspense>
      )}
      {sheet === "help" && (
        <Suspense fallback={null}>
          <KeysHelp onClose={() => setSheet(null)} />
        </Suspense>
      )}
      {(sheet === "palette" || sheet === "beside") && (
        <CommandPalette
          key={sheet}
          threadId={threadId}
          isForBeside={sheet === "beside"}
          onClose={() => setSheet(null)}
          onHelp={() => setSheet("help")}
          onBeside={() => setSheet("beside")}
        />
      )}
    </div>
  );
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case "start":
      return <StartPage folder={undefined} />;
    case "new":
      // Another folder of the list is another form.
      return <StartPage key={route.folder} folder={route.folder} />;
    case "thread":
      return <ThreadPanes route={route} />;
    case "events":
      return <EventLogPage key={route.threadId} threadId={route.threadId} />;
    case "changes":
      return <ChangesPage key={route.threadId} route={route} />;
    case "search":
      return <SearchPage words={route.words ?? ""} />;
    case "statistics":
      return <StatisticsPage />;
    case "tool-calls":
      return <ToolCallsPage route={route} />;
    case "settings":
      return <SettingsPage />;
  }
}

/** Goes from thread to thread by key, in the order of the list. */
function useStep(threadId: string | null) {
  const waiting = useWaitingThreads();
  const threads = inListOrder(threadSections(useThreads() ?? [], waiting)).filter((thread) => !thread.archived);
  const by = (step: 1 | -1) => {
    const here = threads.findIndex((thread) => thread.id === threadId);
    const next = threads[here < 0 ? 0 : (here + step + threads.length) % threads.length];
    if (next !== undefined) showThread(next.id);
  };
  const toWaiting = () => {
    // After the one that is open, and around.
    const here = waiting.findIndex((thread) => thread.threadId === threadId);
    const next = waiting[(here + 1) % waiting.length];
    if (next !== undefined && next.threadId !== threadId) showThread(next.threadId);
  };
  return { by, toWaiting };
}

/** To the conversation, where one is open. */
function skipToContent(): void {
  const timeline = document.querySelector<HTMLElement>('.pane[data-active="true"] .timeline');
  (timeline ?? document.querySelector("main"))?.focus();
}

/** Opens the search, or brings the focus back to its field. */
function toSearch(): void {
  const field = document.querySelector<HTMLInputElement>(".search-field");
  if (field === null) go({ page: "search" });
  else field.select();
}

function NoToken() {
  return (
    <main className="blank">
      <h1>Signalbox</h1>
      <p>This page needs the full address that Signalbox printed when it started. It ends in #token=…</p>
    </main>
  );
}
