// Asks before a thread is deleted whose worktree has work that is not committed: what would be lost, file by file.
import { useStore } from "@signalbox/react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { formatRoute } from "../../hooks/use-route.ts";
import { losing } from "../../stores/losing.ts";
import { Sheet } from "../shared/sheet.tsx";
import { deleteThread } from "./thread-actions.ts";

const onClose = () => losing.set(null);

export default function LossDialog() {
  const { deletions } = useSignalbox();
  const loss = useStore(losing);
  if (loss === null) return null;
  const { thread, files } = loss;
  const onDelete = () => deleteThread(deletions, thread, true);
  return (
    <Sheet title="Work that is not committed" onClose={onClose}>
      <div className="restore">
        <p>
          The worktree of “{thread.title ?? "Untitled"}” is removed with the thread. Its branch{" "}
          <b>{thread.git?.branch ?? ""}</b> stays, but this is not committed:
        </p>
        <ul className="restore-files">
          {files.map((path) => (
            <li key={path}>
              <bdi>{path === "." ? "everything in it: it is not known to git" : path}</bdi>
            </li>
          ))}
        </ul>
        <div className="restore-buttons">
          <button type="button" className="button no" onClick={onDelete}>
            Delete the thread and this work
          </button>
          <a className="button" href={formatRoute({ page: "changes", threadId: thread.id })} onClick={onClose}>
            Look at the changes
          </a>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </div>
    </Sheet>
  );
}
