// The page as a whole: where (threads) at the left, what happened in the middle.
import { ConnectionNotice } from "./components/connection-notice.tsx";
import { StartPage } from "./components/start-page.tsx";
import { ThreadList } from "./components/thread-list.tsx";
import { ThreadPage } from "./components/thread-page.tsx";
import { SignalboxProvider } from "./hooks/signalbox.tsx";
import { useRoute } from "./hooks/use-route.ts";

export function App({ token }: { token: string | null }) {
  if (token === null) return <NoToken />;
  return (
    <SignalboxProvider token={token}>
      <Rooms />
    </SignalboxProvider>
  );
}

function Rooms() {
  const route = useRoute();
  return (
    <div className="app" data-page={route.page}>
      <ThreadList current={route.page === "thread" ? route.threadId : null} />
      <main className="main">
        <ConnectionNotice />
        {route.page === "thread" ? <ThreadPage key={route.threadId} threadId={route.threadId} /> : <StartPage />}
      </main>
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
