// The events of a thread's session as they happen: messages and tool calls in the order in which they first appeared.
import { submitPrompt } from "@signalbox/client";
import type { PlanRow, ThreadRow, ThreadStateRow, TimelineItem } from "@signalbox/protocol";
import { useCallback } from "react";
import { useSignalboxClient } from "./signalbox.tsx";
import { useThread } from "./use-thread.ts";

export interface SessionUpdates {
  /** Null until the first snapshot. */
  readonly thread: ThreadRow | null;
  readonly items: readonly TimelineItem[];
  readonly plan: PlanRow | null;
  /** Modes, options, commands and usage, as the agent reported them. */
  readonly state: ThreadStateRow | null;
  /** Why the thread cannot be shown. */
  readonly error: string | null;
  readonly hasOlder: boolean;
  readonly loadOlder: () => Promise<void>;
  /** Sends a prompt. While a turn runs, it is queued. */
  readonly send: (text: string) => Promise<void>;
  /** Stops the running turn. */
  readonly cancel: () => Promise<void>;
}

export function useSessionUpdates(threadId: string): SessionUpdates {
  const { connection } = useSignalboxClient();
  const { view, error, source } = useThread(threadId);
  const send = useCallback(
    async (text: string) => void (await submitPrompt(connection, threadId, [{ type: "text", text }])),
    [connection, threadId],
  );
  const cancel = useCallback(() => connection.request("run.cancel", { thread_id: threadId }), [connection, threadId]);
  const loadOlder = useCallback(() => source.loadOlder(), [source]);
  return {
    thread: view?.thread ?? null,
    items: view?.timeline ?? [],
    plan: view?.plan ?? null,
    state: view?.state ?? null,
    error,
    hasOlder: view?.has_more ?? false,
    loadOlder,
    send,
    cancel,
  };
}
