// The page as a whole: where (threads) at the left, what happened in the middle. Views that few need at once load when first opened.
import { lazy, Suspense, useEffect, useState } from "react";
import { Mishap } from "./components/shared/mishap.tsx";
import { Attention } from "./components/shell/attention.tsx";
import { CommandPalette } from "./components/shell/command-palette.tsx";
import { ConnectionNotice } from "./components/shell/connection-notice.tsx";
import { KeysHelp } from "./components/shell/keys-help.tsx";
import { ListeningNotice } from "./components/shell/listening-notice.tsx";
import { UndoNotice } from "./components/shell/undo-notice.tsx";
import { WaitingNotice } from "./components/shell/waiting-notice.tsx";
import { StartPage } from "./components/start/start-page.tsx";
import { ThreadPage } from "./components/thread/thread-page.tsx";
import { ThreadList } from "./components/threads/thread-list.tsx";
import { loadPart } from "./connection/load-part.ts";
import { SignalboxProvider } from "./hooks/signalbox.tsx";
import { useKeys } from "./hooks/use-keys.ts";
import { addressOf, go, type Route, useRoute } from "./hooks/use-route.ts";
import { useStore } from "./hooks/use-store.ts";
import { useThreads } from "./hooks/use-threads.ts";
import { theme } from "./stores/preferences.ts";
import type { Signalbox } from "./stores/signalbox.ts";

const SearchPage = lazy(() => loadPart(() => import("./components/search/search-page.tsx")));
const RegisterPage = lazy(() => loadPart(() => import("./components/register/register-page.tsx")));
const StatisticsPage = lazy(() => loadPart(() => import("./components/statistics/statistics-page.tsx")));
const SettingsPage = lazy(() => loadPart(() => import("./components/settings/settings-page.tsx")));

export function App({ signalbox }: { signalbox: Signalbox | null }) {
  const chosen = useStore(theme);
  useEffect(() => {
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
  }, [chosen]);
  if (signalbox === null) return <NoToken />;
  return (
    <SignalboxProvider signalbox={signalbox}>
      <Rooms />
    </SignalboxProvider>
  );
}

function Rooms() {
  const route = useRoute();
  const [sheet, setSheet] = useState<"help" | "palette" | null>(null);
  const threadId = "threadId" in route ? route.threadId : null;
  const step = useStep(threadId);
  useKeys({
    "?": () => setSheet("help"),
    "mod+k": () => setSheet("palette"),
    "/": () => go({ page: "search" }),
    n: () => go({ page: "start" }),
    j: () => step.by(1),
    k: () => step.by(-1),
    w: step.toWaiting,
    "alt+w": step.toWaiting,
  });
  return (
    <div className="app" data-page={route.page}>
      <ThreadList route={route} />
      <main className="main">
        <ConnectionNotice />
        <ListeningNotice />
        {route.page !== "thread" && <WaitingNotice threadId={null} />}
        {route.page !== "start" && route.page !== "thread" && (
          <a className="back" href={addressOf({ page: "start" })}>
            ‹ Threads
          </a>
        )}
        <Mishap key={`${route.page} ${threadId}`} instead={brokenView}>
          <Suspense fallback={<p className="blank">Opening …</p>}>
            <Page route={route} />
          </Suspense>
        </Mishap>
      </main>
      <UndoNotice />
      <Attention threadId={threadId} />
      {sheet === "help" && <KeysHelp onClose={() => setSheet(null)} />}
      {sheet === "palette" && <CommandPalette onClose={() => setSheet(null)} onHelp={() => setSheet("help")} />}
    </div>
  );
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case "start":
      return <StartPage />;
    case "thread":
      return <ThreadPage key={route.threadId} route={route} />;
    case "register":
      return <RegisterPage key={route.threadId} threadId={route.threadId} />;
    case "search":
      return <SearchPage words={route.words ?? ""} />;
    case "statistics":
      return <StatisticsPage />;
    case "settings":
      return <SettingsPage />;
  }
}

/** From thread to thread by key, in the order of the list. */
function useStep(threadId: string | null) {
  const threads = (useThreads() ?? []).filter((thread) => !thread.archived);
  const by = (step: 1 | -1) => {
    const here = threads.findIndex((thread) => thread.id === threadId);
    const next = threads[here < 0 ? 0 : (here + step + threads.length) % threads.length];
    if (next !== undefined) go({ page: "thread", threadId: next.id });
  };
  const toWaiting = () => {
    const waiting = threads.find((thread) => thread.status === "waiting" && thread.id !== threadId);
    if (waiting !== undefined) go({ page: "thread", threadId: waiting.id });
  };
  return { by, toWaiting };
}

function brokenView(error: Error) {
  return (
    <div className="blank" role="alert">
      <h1>This view broke</h1>
      <p>{error.message}</p>
      <p>Nothing that was recorded is lost.</p>
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  );
}

function NoToken() {
  return (
    <main className="blank">
      <h1>Signalbox</h1>
      <p>This page needs the whole address that Signalbox printed when it started: it ends in #token=…</p>
    </main>
  );
}
