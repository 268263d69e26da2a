// One thread in the list: status, title, agent, whether it has unread news, and its menu.
import type { ThreadRow } from "@signalbox/protocol";
import { type KeyboardEvent, memo, useSyncExternalStore } from "react";
import { useAgentLabel } from "../../hooks/use-agent-label.ts";
import { addressOf } from "../../hooks/use-route.ts";
import type { WaitingThread } from "../../stores/questions-store.ts";
import { isUnread, seen } from "../../stores/seen-store.ts";
import { ago } from "../../text/time.ts";
import { machineLabel } from "./machine-label.ts";
import { ThreadMenu } from "./thread-menu.tsx";
import { StatusLamp, statusLabel } from "./thread-status.tsx";

interface ThreadLinkProps {
  readonly thread: ThreadRow;
  readonly isCurrent: boolean;
  /** What waits for the person in it. */
  readonly question?: WaitingThread;
}

export const ThreadLink = memo(function ThreadLink({ thread, isCurrent, question }: ThreadLinkProps) {
  const labelOf = useAgentLabel();
  const hasNews =
    useSyncExternalStore(seen.subscribe, () => isUnread(seen.get(), thread)) && !isCurrent && !thread.starting;
  const title = thread.title ?? "Untitled";
  const machine = machineLabel(thread);
  return (
    <div className="thread-row" data-current={isCurrent || undefined}>
      <a
        className="thread"
        href={addressOf({ page: "thread", threadId: thread.id })}
        aria-current={isCurrent ? "page" : undefined}
        data-unread={hasNews || undefined}
        aria-keyshortcuts="ArrowRight"
        onKeyDown={openMenu}
      >
        <StatusLamp thread={thread} />
        <b dir="auto">{title}</b>
        <time dateTime={new Date(thread.updated_at).toISOString()}>{ago(thread.updated_at)}</time>
        <small>
          {labelOf(thread.agent_id)} · {machine !== null && `${machine} · `}
          {question === undefined ? statusLabel(thread) : askedText(question)}
          {hasNews && <span className="visually-hidden"> · unread</span>}
        </small>
      </a>
      <ThreadMenu thread={thread} isTabStop={false} />
    </div>
  );
});

/** Tab goes from thread to thread; the arrow key opens the menu of the one that has the focus. */
function openMenu(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowRight") return;
  event.preventDefault();
  event.currentTarget.parentElement?.querySelector<HTMLElement>("[aria-haspopup]")?.click();
}

function askedText({ about, count }: WaitingThread): string {
  if (count > 1) return `waiting for you: ${count} questions`;
  return about === "" ? "waiting for you" : `waiting for you: ${about}`;
}
