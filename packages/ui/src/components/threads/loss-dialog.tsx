// Asks before a thread is deleted whose worktree has work that is not committed: what would be lost, file by file.
import type { ThreadRow } from "@signalbox/protocol";
import type { Connection } from "../../connection/connection.ts";
import { addressOf } from "../../hooks/use-route.ts";
import { filesIn } from "../../text/refused-files.ts";
import { Sheet } from "../shared/sheet.tsx";

interface LossDialogProps {
  readonly thread: ThreadRow;
  readonly files: readonly string[];
  readonly onDelete: () => void;
  readonly onClose: () => void;
}

export function LossDialog({ thread, files, onDelete, onClose }: LossDialogProps) {
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
          <a className="button" href={addressOf({ page: "changes", threadId: thread.id })} onClick={onClose}>
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

/** Empty when nothing would be lost. */
export async function filesLostWith(connection: Connection, threadId: string): Promise<readonly string[]> {
  try {
    await connection.request({ control: "session.delete", thread_id: threadId, dry_run: true });
    return [];
  } catch (error) {
    const files = filesIn(error);
    if (files.length === 0) throw error;
    return files;
  }
}
