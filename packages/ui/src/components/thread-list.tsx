// Where: every thread under its folder, the one with the latest activity first.
import type { ThreadRow } from "@signalbox/protocol";
import { addressOf } from "../hooks/use-route.ts";
import { useThreads } from "../hooks/use-threads.ts";
import { StatusLamp, wordFor } from "./thread-status.tsx";
import { ago } from "./time.ts";

export function ThreadList({ current }: { current: string | null }) {
  const threads = useThreads();
  const folders = Map.groupBy(threads ?? [], (thread) => thread.cwd);
  return (
    <nav className="threads" aria-label="Threads">
      <a className="brand" href={addressOf({ page: "start" })}>
        <span className="mast" aria-hidden="true">
          <i />
          <i />
        </span>
        Signalbox
      </a>
      <div className="folders">
        {[...folders].map(([folder, members]) => (
          <section key={folder}>
            <h2 title={folder}>
              <span>
                <bdi>{folder}</bdi>
              </span>
              <span>{members.length}</span>
            </h2>
            {members.map((thread) => (
              <ThreadLink key={thread.id} thread={thread} isCurrent={thread.id === current} />
            ))}
          </section>
        ))}
        {threads?.length === 0 && <p className="hint">Nothing here yet. Your threads will stand here, by folder.</p>}
      </div>
      <footer>
        <a href={addressOf({ page: "start" })}>New thread</a>
      </footer>
    </nav>
  );
}

function ThreadLink({ thread, isCurrent }: { thread: ThreadRow; isCurrent: boolean }) {
  return (
    <a
      className="thread"
      href={addressOf({ page: "thread", threadId: thread.id })}
      aria-current={isCurrent ? "page" : undefined}
    >
      <StatusLamp status={thread.status} />
      <b>{thread.title ?? "Untitled"}</b>
      <time dateTime={new Date(thread.updated_at).toISOString()}>{ago(thread.updated_at)}</time>
      <small>
        {thread.agent_id} · {wordFor(thread.status)}
      </small>
    </a>
  );
}
