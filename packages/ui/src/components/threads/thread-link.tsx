// One thread in the list: its lamp, name, agent and state, whether something is new in it, and what can be done with it.
import type { ThreadRow } from "@signalbox/protocol";
import { memo, useSyncExternalStore } from "react";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { addressOf, go } from "../../hooks/use-route.ts";
import { renaming } from "../../stores/renaming.ts";
import { seen } from "../../stores/seen-store.ts";
import { ago } from "../../text/time.ts";
import { Icon } from "../shared/icon.tsx";
import { Menu } from "../shared/menu.tsx";
import { StatusLamp, wordFor } from "./thread-status.tsx";

export const ThreadLink = memo(function ThreadLink({ thread, isCurrent }: { thread: ThreadRow; isCurrent: boolean }) {
  const { connection, deletions } = useSignalbox();
  const isUnread =
    useSyncExternalStore(seen.subscribe, () => (seen.get()[thread.id] ?? 0) < thread.last_seq) && !isCurrent;
  const title = thread.title ?? "Untitled";
  const archive = () => {
    const updates = { archived: !thread.archived };
    // Refused or offline: the list shows that nothing changed.
    connection.request({ control: "tvx.update_thread", thread_id: thread.id, updates }).catch(() => {});
  };
  const remove = () => {
    deletions.delete({ threadId: thread.id, title });
    if (isCurrent) go({ page: "start" });
  };
  const rename = () => {
    go({ page: "thread", threadId: thread.id });
    renaming.set(thread.id);
  };
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
          {thread.agent_id} · {wordFor(thread.status)}
          {isUnread && <span className="visually-hidden"> · something new</span>}
        </small>
      </a>
      <Menu label={`More for ${title}`} icon={<Icon name="more" />}>
        <button type="button" role="menuitem" onClick={rename}>
          Rename
        </button>
        <button type="button" role="menuitem" onClick={archive}>
          {thread.archived ? "Put back" : "Archive"}
        </button>
        <button type="button" role="menuitem" onClick={() => go({ page: "register", threadId: thread.id })}>
          Register
        </button>
        <button type="button" role="menuitem" className="no" onClick={remove}>
          Delete
        </button>
      </Menu>
    </div>
  );
});
