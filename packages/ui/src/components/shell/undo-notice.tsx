// Says that a thread was deleted, while it can still be taken back.
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useStore } from "../../hooks/use-store.ts";

export function UndoNotice() {
  const { deletions } = useSignalbox();
  const going = useStore(deletions.store);
  return (
    <div className="undo" role="status">
      {going.map(({ threadId, title }) => (
        <p key={threadId}>
          Deleted “{title}”.
          <button type="button" onClick={() => deletions.undo(threadId)}>
            Undo
          </button>
        </p>
      ))}
    </div>
  );
}
