// The files that were changed in what is loaded of this thread, with what was added and taken away.
import type { TimelineItem } from "@signalbox/protocol";
import { useMemo } from "react";
import { shortPath } from "../../text/paths.ts";
import { diffOf } from "../tool-call/diff-view.tsx";
import { fileChanges } from "../tool-call/tool-call-body.tsx";

const most = 12;

export function FilesTouched({ timeline, folder }: { timeline: readonly TimelineItem[]; folder: string }) {
  const edits = useMemo(
    () => timeline.filter((item) => item.type === "tool_call" && item.status === "completed"),
    [timeline],
  );
  const files = useMemo(() => {
    const found = new Map<string, { added: number; removed: number }>();
    for (const item of edits) {
      if (item.type !== "tool_call") continue;
      for (const { source, change } of fileChanges(item)) {
        const diff = diffOf(source, change);
        const known = found.get(change.path) ?? { added: 0, removed: 0 };
        found.set(change.path, {
          added: known.added + (diff?.added ?? 0),
          removed: known.removed + (diff?.removed ?? 0),
        });
      }
    }
    return [...found];
  }, [edits]);
  if (files.length === 0) return null;
  return (
    <section>
      <h2>Files</h2>
      <ul className="files">
        {files.slice(-most).map(([path, { added, removed }]) => (
          <li key={path}>
            <span title={path}>
              <bdi>{shortPath(path, folder)}</bdi>
            </span>
            <span>
              <span className="plus">+{added}</span> {removed > 0 && <span className="minus">−{removed}</span>}
            </span>
          </li>
        ))}
      </ul>
      {files.length > most && <p className="hint">and {files.length - most} more</p>}
    </section>
  );
}
