// What can be done with a prompt: copy it, see what its turn changed, put files back to before it.
import type { MessageRow, TurnRow } from "@signalbox/protocol";
import { lazy, Suspense, useState, useSyncExternalStore } from "react";
import { loadPart } from "../../connection/load-part.ts";
import { useThreadSource } from "../../hooks/open-thread.tsx";
import { CopyButton } from "../shared/copy-button.tsx";

const RestoreDialog = lazy(() => loadPart(() => import("../changes/restore-dialog.tsx")));

export function PromptActions({ message }: { message: MessageRow }) {
  const turn = useTurnOf(message.seq);
  const [isRestoring, setRestoring] = useState(false);
  const canRestore = turn !== null && turn.ended_at !== null && typeof turn.checkpoint?.before === "string";
  return (
    <div className="prompt-actions">
      {canRestore && (
        <button type="button" className="copy" onClick={() => setRestoring(true)}>
          Put files back to before this
        </button>
      )}
      <CopyButton text={message.text} />
      {isRestoring && turn !== null && (
        <Suspense fallback={null}>
          <RestoreDialog
            threadId={turn.thread_id}
            restore={{ toTurnId: turn.turn_id }}
            onClose={() => setRestoring(false)}
          />
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
