// Lists the files that the loaded tool calls changed, with added and removed lines.
import type { TimelineItem } from "@signalbox/protocol";
import { useMemo } from "react";
import { shortPath } from "../../text/paths.ts";
import { diffOf } from "../tool-call/diff-view.tsx";
import { fileChanges } from "../tool-call/file-changes.ts";

const maxFiles = 12;

interface ChangedFilesProps {
  readonly timeline: readonly TimelineItem[];
  readonly folder: string;
  /** Older items are not loaded, so there may be more files. */
  readonly hasOlder: boolean;
}

export function ChangedFiles({ timeline, folder, hasOlder }: ChangedFilesProps) {
  const edits = useMemo(
    () => timeline.filter((item) => item.type === "tool_call" && item.status === "completed"),
    [timeline],
  );
  const files = useMemo(() => {
    const found = new Map<string, { added: number; removed: number; isExact: boolean }>();
    for (const item of edits) {
      if (item.type !== "tool_call") continue;
      for (const { source, change } of fileChanges(item)) {
        const diff = diffOf(source, change);
        const known = found.get(change.path) ?? { added: 0, removed: 0, isExact: true };
        found.set(change.path, {
          added: known.added + (diff?.added ?? 0),
          removed: known.removed + (diff?.removed ?? 0),
          isExact: known.isExact && diff !== null,
        });
      }
    }
    return [...found];
  }, [edits]);
  if (files.length === 0) return null;
  return (
    <section>
      <h2>Changed files</h2>
      <ul className="files">
        {files.slice(-maxFiles).map(([path, { added, removed, isExact }]) => (
          <li key={path}>
            <span title={path}>
              <bdi>{shortPath(path, folder)}</bdi>
            </span>
            <span>
              {isExact ? (
                <>
                  <span className="plus">+{added}</span> {removed > 0 && <span className="minus">−{removed}</span>}
                </>
              ) : (
                "large"
              )}
            </span>
          </li>
        ))}
      </ul>
      {files.length > maxFiles && <p className="hint">and {files.length - maxFiles} more</p>}
      {hasOlder && <p className="hint">Only of what is loaded: scroll up to load earlier changes.</p>}
    </section>
  );
}
