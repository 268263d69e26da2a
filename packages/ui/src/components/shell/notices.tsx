// Messages about the page as a whole: a lost connection, an open network address, a problem of sharing, a rebuild of the index, errors of a menu command, a deletion that can be undone.
import { useConnectionStatus, useQuery, useStore } from "@signalbox/react";
import { useEffect, useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useProgress } from "../../hooks/use-progress.ts";
import { dismiss, notices } from "../../stores/notices.ts";

export function ConnectionNotice() {
  const status = useConnectionStatus();
  return (
    <div role="status" className="notice" hidden={status === "open" || status === "connecting"} data-status={status}>
      {status === "offline" && "Disconnected. Reconnecting …"}
      {status === "refused" &&
        "The access token of this page is not valid. Open the address that Signalbox printed when it started; it ends in #token=…"}
    </div>
  );
}

/** Not asked for immediately: the first thread is shown before. */
const warningDelayMs = 1000;

/** Warns on every view when others on the network could read along. */
export function ListeningNotice() {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), warningDelayMs);
    return () => clearTimeout(timer);
  }, []);
  const { rows } = useQuery("setup.get", isDue ? {} : null);
  const warning = rows?.[0]?.listening?.warning ?? null;
  if (warning === null) return null;
  return (
    <div role="alert" className="exposed">
      {warning}
    </div>
  );
}

/** Says on every view why nothing is shared with other machines now. */
export function SharingNotice() {
  const { machines } = useStore(useSignalbox().machine);
  const problem = machines.find(({ own }) => own)?.problem ?? null;
  if (problem === null) return null;
  return (
    <div role="status" className="exposed">
      Sharing with other machines: {problem}
    </div>
  );
}

/** Says that older threads and searches are not complete yet, after an update of Signalbox. */
export function RebuildNotice() {
  const progress = useProgress("rebuild", "register");
  if (progress === null || progress.finished) return null;
  return (
    <div role="status" className="notice quiet">
      {progress.message}. Search and statistics are complete when it is done.
    </div>
  );
}

export function CornerNotices() {
  const { deletions } = useSignalbox();
  const errors = useStore(notices);
  const deleted = useStore(deletions.store);
  return (
    <div className="undo" role="status">
      {errors.map(({ id, text, undo, isProblem }) => (
        <p key={id} role={isProblem ? "alert" : undefined}>
          {text}
          {undo !== undefined && (
            <button
              type="button"
              onClick={() => {
                dismiss(id);
                undo();
              }}
            >
              Undo
            </button>
          )}
          <button type="button" onClick={() => dismiss(id)}>
            Close
          </button>
        </p>
      ))}
      {deleted.map(({ threadId, title }) => (
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
