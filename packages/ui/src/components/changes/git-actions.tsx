// The buttons that commit a thread's work and merge its worktree back, where its folder is in a git repository.
import type { ChangeRow, ThreadRow } from "@signalbox/protocol";
import { lazy, Suspense, useState } from "react";
import { loadPart } from "../../connection/load-part.ts";
import { Icon } from "../shared/icon.tsx";
import { Menu, MenuItem } from "../shared/menu.tsx";
import { isAtWork } from "../threads/thread-actions.ts";

const CommitDialog = lazy(() => loadPart(() => import("./commit-dialog.tsx")));
const MergeDialog = lazy(() => loadPart(() => import("./merge-dialog.tsx")));

export function GitActions({ thread, changes }: { thread: ThreadRow; changes: readonly ChangeRow[] }) {
  const [open, setOpen] = useState<"commit" | "merge" | null>(null);
  const { git } = thread;
  if (git === null) return null;
  const isRunning = isAtWork(thread.status);
  const later = isRunning ? "Wait until the turn has ended" : undefined;
  const close = () => setOpen(null);
  return (
    <>
      <span className="split">
        <button
          type="button"
          className="button primary"
          disabled={isRunning}
          title={later}
          onClick={() => setOpen("commit")}
        >
          <Icon name="commit" isSmall /> Commit…
        </button>
        {git.worktree !== undefined && typeof git.base === "string" && !isRunning && (
          <Menu label="More ways to keep the changes" icon={<Icon name="down" isSmall />}>
            <MenuItem name={`Merge into ${git.base} here…`} onChoose={() => setOpen("merge")} />
          </Menu>
        )}
      </span>
      {open !== null && (
        <Suspense fallback={null}>
          {open === "commit" && <CommitDialog thread={thread} changes={changes} onClose={close} />}
          {open === "merge" && <MergeDialog thread={thread} onClose={close} />}
        </Suspense>
      )}
    </>
  );
}
