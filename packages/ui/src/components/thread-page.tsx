// What happened: one thread, its timeline, and the place to say what comes next.
import { addressOf } from "../hooks/use-route.ts";
import { useThread } from "../hooks/use-thread.ts";
import { Composer } from "./composer.tsx";
import { wordFor } from "./thread-status.tsx";
import { Timeline } from "./timeline.tsx";

export function ThreadPage({ threadId }: { threadId: string }) {
  const { view, error } = useThread(threadId);
  if (error !== null) {
    return (
      <p role="alert" className="error blank">
        {error}
      </p>
    );
  }
  if (view === null) return <p className="blank">Opening …</p>;
  const { thread } = view;
  return (
    <>
      <header className="head">
        <a className="back" href={addressOf({ page: "start" })} aria-label="All threads">
          ‹
        </a>
        <h1>{thread.title ?? "Untitled"}</h1>
        <span className="chip state" data-status={thread.status}>
          {wordFor(thread.status)}
        </span>
        <span className="chip">{thread.agent_id}</span>
        <span className="chip folder" title={thread.cwd}>
          {thread.cwd}
        </span>
      </header>
      <Timeline view={view} />
      <Composer threadId={threadId} status={thread.status} />
    </>
  );
}
