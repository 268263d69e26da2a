// Other threads that wait for a decision, from wherever the person is.
import { addressOf } from "../../hooks/use-route.ts";
import { useThreads } from "../../hooks/use-threads.ts";

export function WaitingNotice({ threadId }: { threadId: string | null }) {
  const waiting = (useThreads() ?? []).filter((thread) => thread.status === "waiting" && thread.id !== threadId);
  const [first] = waiting;
  if (first === undefined) return null;
  return (
    <a className="notice waiting-notice" href={addressOf({ page: "thread", threadId: first.id })}>
      <b>{first.title ?? "Untitled"}</b> waits for you
      {waiting.length > 1 && `, and ${waiting.length - 1} more`} <kbd>W</kbd>
    </a>
  );
}
