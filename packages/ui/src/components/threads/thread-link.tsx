// One thread in the list, in two lines: mark with lamp, title and time; then its branch, or what it waits for. The mark spells the agent and the state.

import type { ThreadRow } from "@signalbox/protocol";
import { useAgentLabel, type WaitingThread } from "@signalbox/react";
import { type KeyboardEvent, memo, useSyncExternalStore } from "react";
import { formatRoute } from "../../hooks/use-route.ts";
import { hasRoomForTwo, openSecondPane } from "../../stores/panes.ts";
import { isUnread, seen } from "../../stores/seen-store.ts";
import { ago } from "../../text/time.ts";
import { Mark } from "../shared/mark.tsx";
import { machineLabel } from "./machine-label.ts";
import { onThreadLink } from "./on-thread-link.ts";
import { ThreadMenu } from "./thread-menu.tsx";
import { StatusLamp, statusLabel } from "./thread-status.tsx";

interface ThreadLinkProps {
  readonly thread: ThreadRow;
  readonly isCurrent: boolean;
  /** Tab stops at it; arrow keys reach the others. */
  readonly isTabStop: boolean;
  /** The question in this thread that waits for the person. */
  readonly question?: WaitingThread;
}

export const ThreadLink = memo(function ThreadLink({ thread, isCurrent, isTabStop, question }: ThreadLinkProps) {
  const labelOf = useAgentLabel();
  const hasNews =
    useSyncExternalStore(seen.subscribe, () => isUnread(seen.get(), thread)) && !isCurrent && !thread.starting;
  const title = thread.title ?? "Untitled";
  const agent = labelOf(thread.agent_id);
  const status = statusLabel(thread);
  const machine = machineLabel(thread);
  return (
    <div className="thread-row" data-current={isCurrent || undefined}>
      <a
        className="thread"
        href={formatRoute({ page: "thread", threadId: thread.id })}
        aria-current={isCurrent ? "page" : undefined}
        data-unread={hasNews || undefined}
        aria-keyshortcuts="ArrowRight Alt+Enter"
        data-stop
        tabIndex={isTabStop ? 0 : -1}
        onClick={(event) => onThreadLink(event, thread.id)}
        onKeyDown={(event) => {
          openMenu(event);
          if (event.key !== "Enter" || !event.altKey || !hasRoomForTwo()) return;
          event.preventDefault();
          openSecondPane(thread.id);
        }}
      >
        <span className="thread-mark" title={`${agent} · ${status}`}>
          <Mark agentId={thread.agent_id} name={agent}>
            <StatusLamp thread={thread} />
          </Mark>
          <span className="visually-hidden">
            {agent} · {status}
          </span>
        </span>
        <b dir="auto">{title}</b>
        <time dateTime={new Date(thread.updated_at).toISOString()}>{ago(thread.updated_at)}</time>
        <small>
          {machine !== null && `${machine} · `}
          {question === undefined ? (thread.git?.branch ?? "") : askedText(question)}
          {hasNews && <span className="visually-hidden"> · unread</span>}
        </small>
      </a>
      <ThreadMenu thread={thread} isTabStop={false} />
    </div>
  );
});

/** The arrow key opens the menu of what has the focus in the list. */
export function openMenu(
  event: KeyboardEvent<HTMLElement>,
  row: Element | null = event.currentTarget.parentElement,
): void {
  if (event.key !== "ArrowRight") return;
  event.preventDefault();
  row?.querySelector<HTMLElement>("[aria-haspopup]")?.click();
}

function askedText({ about, count }: WaitingThread): string {
  if (count > 1) return `${count} questions`;
  return about === "" ? "Asks you" : about;
}
