// What can be done with a prompt: copy it, edit it and try again in a fork, put files back to before it.
import type { MessageRow, TurnRow } from "@signalbox/protocol";
import { lazy, Suspense, useState, useSyncExternalStore } from "react";
import { loadPart } from "../../connection/load-part.ts";
import { useThreadSource } from "../../hooks/open-thread.tsx";
import { CopyButton } from "../shared/copy-button.tsx";

const RestoreDialog = lazy(() => loadPart(() => import("../changes/restore-dialog.tsx")));

const RetryDialog = lazy(() => loadPart(() => import("./retry-dialog.tsx")));

export function PromptActions({ message }: { message: MessageRow }) {
  const turn = useTurnOf(message.seq);
  const [open, setOpen] = useState<"restore" | "retry" | null>(null);
  const close = () => setOpen(null);
  const canRestore = turn !== null && turn.ended_at !== null && typeof turn.checkpoint?.before === "string";
  // Of a text that is not here whole, the rest would be lost.
  const canRetry = turn !== null && turn.ended_at !== null && message.text.length >= message.text_len;
  return (
    <div className="prompt-actions">
      {canRetry && (
        <button type="button" className="copy" onClick={() => setOpen("retry")}>
          Edit and retry
        </button>
      )}
      {canRestore && (
        <button type="button" className="copy" onClick={() => setOpen("restore")}>
          Put files back to before this
        </button>
      )}
      <CopyButton text={message.text} />
      {open !== null && turn !== null && (
        <Suspense fallback={null}>
          {open === "restore" && (
            <RestoreDialog threadId={turn.thread_id} restore={{ toTurnId: turn.turn_id }} onClose={close} />
          )}
          {open === "retry" && <RetryDialog message={message} restoreTo={canRestore ? turn : null} onClose={close} />}
        </Suspense>
      )}
    </div>
  );
}

/** The turn that this item belongs to; null where it is not loaded. */
function useTurnOf(seq: number): TurnRow | null {
  const { store } = useThreadSource();
  return useSyncExternalStore(
    store.subscribe,
    () => store.get().view?.turns.findLast((turn) => turn.seq <= seq && seq <= turn.last_seq) ?? null,
  );
}
