// Says that a thread was deleted, while it can still be taken back.
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useStore } from "../../hooks/use-store.ts";
import { Notices } from "./notices.tsx";

export function UndoNotice() {
  const { deletions } = useSignalbox();
  const going = useStore(deletions.store);
  return (
    <div className="undo" role="status">
      <Notices />
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
