// Actions on a prompt: copy it, edit it and retry in a fork, fork from before it, restore files to before it.
import { type MessageRow, messageOf, type TurnRow } from "@signalbox/protocol";
import { lazy, Suspense, useMemo, useState, useSyncExternalStore } from "react";
import { openForkBeforePrompt } from "../../connection/fork-before-prompt.ts";
import { loadPart } from "../../connection/load-part.ts";
import { useThreadSource } from "../../hooks/open-thread.tsx";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { showNotice } from "../../stores/notices.ts";
import { CopyButton } from "../shared/copy-button.tsx";

const RestoreDialog = lazy(() => loadPart(() => import("../changes/restore-dialog.tsx")));

const RetryDialog = lazy(() => loadPart(() => import("./retry-dialog.tsx")));

export function PromptActions({ message }: { message: MessageRow }) {
  const turn = useTurnBySeq(message.seq);
  const { connection } = useSignalbox();
  const [open, setOpen] = useState<"restore" | "retry" | null>(null);
  const [isForking, setForking] = useState(false);
  const close = () => setOpen(null);
  const turnId = turn?.turn_id ?? "";
  // The dialog asks again what would happen when it gets another one.
  const restore = useMemo(() => ({ toTurnId: turnId }), [turnId]);
  const fork = () => openForkBeforePrompt(connection, message);
  const forkNow = () => {
    setForking(true);
    fork()
      .catch((error: unknown) => showNotice(messageOf(error)))
      .finally(() => setForking(false));
  };
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
      {turn !== null && turn.ended_at !== null && (
        <button
          type="button"
          className="copy"
          disabled={isForking}
          title="Go on from before this prompt, in a new thread. This one stays."
          onClick={forkNow}
        >
          Fork from here
        </button>
      )}
      {canRestore && (
        <button type="button" className="copy" onClick={() => setOpen("restore")}>
          Undo changes since this
        </button>
      )}
      <CopyButton text={message.text} />
      {open !== null && turn !== null && (
        <Suspense fallback={null}>
          {open === "restore" && (
            <RestoreDialog threadId={turn.thread_id} restore={restore} fork={fork} onClose={close} />
          )}
          {open === "retry" && <RetryDialog message={message} restoreTo={canRestore ? turn : null} onClose={close} />}
        </Suspense>
      )}
    </div>
  );
}

/** The turn that this item belongs to; null where it is not loaded. */
function useTurnBySeq(seq: number): TurnRow | null {
  const { store } = useThreadSource();
  return useSyncExternalStore(
    store.subscribe,
    () => store.get().view?.turns.findLast((turn) => turn.seq <= seq && seq <= turn.last_seq) ?? null,
  );
}
