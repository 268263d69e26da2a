// A link to other threads that wait for the person: in a thread's head, or in the corner of another view.
import { useWaitingThreads } from "@signalbox/react";
import { formatRoute } from "../../hooks/use-route.ts";
import { onThreadLink } from "../threads/on-thread-link.ts";

export function WaitingNotice({ threadId }: { threadId: string | null }) {
  const waiting = useWaitingThreads().filter((thread) => thread.threadId !== threadId);
  const [first] = waiting;
  if (first === undefined) return null;
  const names = waiting.map((thread) => thread.title);
  return (
    <a
      className="chip waiting-notice"
      href={formatRoute({ page: "thread", threadId: first.threadId })}
      title={names.join("\n")}
      onClick={(event) => onThreadLink(event, first.threadId)}
    >
      <b>{names[0]}</b>
      <span>{waiting.length > 1 ? ` and ${waiting.length - 1} more waiting` : " is waiting"}</span>
      <span className="short">{waiting.length} waiting</span>
      <kbd>Alt+W</kbd>
    </a>
  );
}
