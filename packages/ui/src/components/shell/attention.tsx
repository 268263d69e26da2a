// Draws attention to waiting questions outside the view: in the title, the tab icon, browser notifications, and for screen readers.

import type { ThreadRow } from "@signalbox/protocol";
import { type Questions, questionId, useAgentLabel, useStore, useThreads } from "@signalbox/react";
import { useEffect, useRef } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { go } from "../../hooks/use-route.ts";
import { notifications, sound } from "../../stores/preferences.ts";

export function Attention({ threadId }: { threadId: string | null }) {
  const { questions } = useSignalbox();
  const pending = useStore(questions);
  const threads = useThreads();
  const current = threads?.find((thread) => thread.id === threadId);
  const count = pending.length;
  const isBusy = current?.status === "running";
  useEffect(() => {
    const name = current === undefined ? "Signalbox" : `${current.title ?? "Untitled"} · Signalbox`;
    document.title = count > 0 ? `(${count}) ${name}` : name;
    showIcon(count > 0 ? "waiting" : isBusy ? "working" : "idle");
  }, [count, current, isBusy]);
  useNotifications(pending);
  return (
    <p className="visually-hidden" role="status">
      {composeAnnouncement(current, count)}
    </p>
  );
}

/** Announces waiting questions and changes of the thread's status, but not the streaming text. */
function composeAnnouncement(current: ThreadRow | undefined, count: number): string {
  if (count > 0) return `${count} waiting for you.`;
  switch (current?.status) {
    case undefined:
    // Its question is announced, once.
    case "waiting":
      return "";
    case "running":
      return "The agent is working.";
    case "idle":
    case "closed":
      return current.stopped ? "The agent was stopped." : "The agent is done.";
    case "failed":
    case "interrupted":
      return "The agent stopped.";
  }
}

function useNotifications(pending: Questions): void {
  const labelOf = useAgentLabel();
  const notified = useRef(new Set<string>());
  useEffect(() => {
    for (const question of pending) {
      const id = questionId(question);
      if (notified.current.has(id)) continue;
      notified.current.add(id);
      const isWanted = notifications.get() && "Notification" in window && Notification.permission === "granted";
      if (!isWanted || document.visibilityState === "visible") continue;
      const title = `${labelOf(question.agent_id)} is waiting for you`;
      const notification = new Notification(title, {
        body: question.thread_title ?? "",
        tag: id,
        silent: !sound.get(),
      });
      notification.addEventListener("click", () => {
        window.focus();
        go({ page: "thread", threadId: question.thread_id });
      });
    }
  }, [pending, labelOf]);
}

const lamps = { waiting: "#e2a03f", working: "#5b8fe8", idle: "#4cc07d" };

/** Draws the tab icon with the colour of the status. */
function showIcon(lamp: keyof typeof lamps): void {
  const [top, bottom] = lamp === "idle" ? ["#55524b", lamps.idle] : [lamps[lamp], "#55524b"];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="9" y="1" width="14" height="30" rx="7" fill="#2a2927"/><circle cx="16" cy="10" r="4.500" fill="${top}"/><circle cx="16" cy="22" r="4.500" fill="${bottom}"/></svg>`;
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link !== null) link.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
