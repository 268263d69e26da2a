// Keeps the edits of queued prompts until they are saved. When a prompt leaves the queue before that, its edited text goes into the field for the next prompt.
import type { TurnRow } from "@signalbox/protocol";
import { useEffect, useRef, useState } from "react";
import { addToDraft } from "../../stores/draft-additions.ts";
import { showNotice } from "../../stores/notices.ts";

interface QueueEdit {
  readonly threadId: string;
  readonly text: string;
  /** The text that is queued. */
  readonly before: string;
  /** The host is asked; only its answer says whether the prompt was still queued. */
  readonly isSaving: boolean;
}

export interface QueueEdits {
  readonly textOf: (turnId: string) => string | null;
  readonly begin: (turn: TurnRow, before: string) => void;
  readonly change: (turnId: string, changed: Partial<Pick<QueueEdit, "text" | "isSaving">>) => void;
  readonly end: (turnId: string) => void;
}

export function useQueueEdits(queued: readonly TurnRow[]): QueueEdits {
  const [edits, setEdits] = useState<ReadonlyMap<string, QueueEdit>>(new Map());
  /** Prompts whose edit went elsewhere. A prompt that left the queue never comes back. */
  const moved = useRef(new Set<string>());
  useEffect(() => {
    for (const [turnId, { threadId, text, before, isSaving }] of edits) {
      if (isSaving || moved.current.has(turnId) || queued.some((turn) => turn.turn_id === turnId)) continue;
      moved.current.add(turnId);
      if (text.trim() === "" || text === before) continue;
      addToDraft(threadId, text);
      showNotice(
        "The prompt that you edited is not queued any more. Your text was not sent: it is in the prompt field.",
      );
    }
  });
  return {
    textOf: (turnId) => edits.get(turnId)?.text ?? null,
    begin: ({ turn_id, thread_id: threadId }, before) =>
      setEdits((now) => new Map(now).set(turn_id, { threadId, text: before, before, isSaving: false })),
    change: (turnId, changed) =>
      setEdits((now) => {
        const edit = now.get(turnId);
        return edit === undefined ? now : new Map(now).set(turnId, { ...edit, ...changed });
      }),
    end: (turnId) => setEdits((now) => new Map([...now].filter(([id]) => id !== turnId))),
  };
}
