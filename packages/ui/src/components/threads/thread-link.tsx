// One thread in the list: its lamp, name, agent and state, whether something is new in it, and what can be done with it.
import type { ThreadRow } from "@signalbox/protocol";
import { memo, useSyncExternalStore } from "react";
import { useAgentLabel } from "../../hooks/use-agent-label.ts";
import { addressOf } from "../../hooks/use-route.ts";
import { isNews, seen } from "../../stores/seen-store.ts";
import { ago } from "../../text/time.ts";
import { ThreadMenu } from "./thread-menu.tsx";
import { StatusLamp, wordFor } from "./thread-status.tsx";

export const ThreadLink = memo(function ThreadLink({ thread, isCurrent }: { thread: ThreadRow; isCurrent: boolean }) {
  const labelOf = useAgentLabel();
  const isUnread = useSyncExternalStore(seen.subscribe, () => isNews(seen.get(), thread)) && !isCurrent;
  const title = thread.title ?? "Untitled";
  return (
    <div className="thread-row" data-current={isCurrent || undefined}>
      <a
        className="thread"
        href={addressOf({ page: "thread", threadId: thread.id })}
        aria-current={isCurrent ? "page" : undefined}
        data-unread={isUnread || undefined}
      >
        <StatusLamp status={thread.status} />
        <b dir="auto">{title}</b>
        <time dateTime={new Date(thread.updated_at).toISOString()}>{ago(thread.updated_at)}</time>
        <small>
          {labelOf(thread.agent_id)} · {wordFor(thread.status)}
          {isUnread && <span className="visually-hidden"> · something new</span>}
        </small>
      </a>
      <ThreadMenu thread={thread} />
    </div>
  );
});
