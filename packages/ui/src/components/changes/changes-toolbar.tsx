// The row above the changes: how much there is, how it is compared, and what can be done with all of it.
import type { ChangeRow, ThreadRow } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import { ignoresSpace, splitDiffs } from "../../stores/preferences.ts";
import { LineCounts } from "../diff/line-counts.tsx";
import { Icon } from "../shared/icon.tsx";
import { isAtWork } from "../threads/thread-actions.ts";
import { GitActions } from "./git-actions.tsx";

interface ChangesToolbarProps {
  readonly thread: ThreadRow;
  readonly files: readonly ChangeRow[];
  /** Null where nothing can be undone. */
  readonly onUndo: (() => void) | null;
}

export function ChangesToolbar({ thread, files, onUndo }: ChangesToolbarProps) {
  const isSplit = useStore(splitDiffs);
  const isSpaceIgnored = useStore(ignoresSpace);
  const isRunning = isAtWork(thread.status);
  const hasFiles = files.length > 0;
  return (
    <div className="changes-bar">
      {hasFiles && (
        <span className="changes-sum">
          {files.length} {files.length === 1 ? "file" : "files"} <LineCounts files={files} />
        </span>
      )}
      <span className="changes-tools">
        {hasFiles && (
          <>
            <span className="segments" role="group" aria-label="Comparison">
              <button type="button" aria-pressed={!isSplit} onClick={() => splitDiffs.set(false)}>
                One column
              </button>
              <button type="button" aria-pressed={isSplit} onClick={() => splitDiffs.set(true)}>
                Side by side
              </button>
            </span>
            <button
              type="button"
              className="quiet"
              aria-pressed={isSpaceIgnored}
              onClick={() => ignoresSpace.set(!isSpaceIgnored)}
            >
              Ignore space
            </button>
            {onUndo !== null && (
              <button
                type="button"
                className="quiet"
                disabled={isRunning}
                title={isRunning ? "Wait until the turn has ended" : undefined}
                onClick={onUndo}
              >
                <Icon name="undo" isSmall /> Undo changes…
              </button>
            )}
          </>
        )}
        <GitActions thread={thread} changes={files} />
      </span>
    </div>
  );
}
