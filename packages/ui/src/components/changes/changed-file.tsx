// One changed file: its head with what can be done, and its change, which loads when it comes near the screen. Lines can be commented on, and
// the file or a part of it undone.

import type { ChangeRow, Hunk, ThreadRow } from "@signalbox/protocol";
import { useQuery, useStore } from "@signalbox/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { ignoresSpace } from "../../stores/preferences.ts";
import { ignoreSpace } from "../../text/ignore-space.ts";
import { visible } from "../../text/visible.ts";
import { FileDiff } from "../diff/file-diff.tsx";
import { LineCounts } from "../diff/line-counts.tsx";
import { ErrorText } from "../shared/error-text.tsx";
import { Icon } from "../shared/icon.tsx";
import { OpenFile } from "../shared/open-file.tsx";
import { sourceLabel } from "./file-list.tsx";
import { useLineTools } from "./line-comment.tsx";
import type { RestoredPart } from "./restore-dialog.tsx";
import { ViewedBox } from "./viewed-box.tsx";

interface ChangedFileProps {
  readonly file: ChangeRow;
  readonly thread: ThreadRow;
  readonly turnId: string | null;
  /** The turn is one in which changes were undone. */
  readonly isRestore: boolean;
  /** Changes when the file may have changed again. */
  readonly stamp: string;
  /** Null while nothing can be undone. */
  readonly onRestore: ((part: RestoredPart) => void) | null;
}

/** Longer changes are folded. */
const maxRows = 400;

export function ChangedFile({ file, thread, turnId, isRestore, stamp, onRestore }: ChangedFileProps) {
  const frame = useRef<HTMLElement>(null);
  const isNear = useIsNear(frame);
  const { path } = file;
  const args = { thread_id: thread.id, path, ...(turnId !== null && { turn_id: turnId }) };
  const { rows, error, refresh } = useQuery("changes.diff", isNear ? args : null);
  const seen = useRef(stamp);
  useEffect(() => {
    if (seen.current === stamp) return;
    seen.current = stamp;
    refresh();
  }, [stamp, refresh]);
  const diff = rows?.[0];
  const isSpaceIgnored = useStore(ignoresSpace);
  const shown = useMemo(() => {
    if (diff === undefined) return undefined;
    const status = diff.status === "renamed" ? ("modified" as const) : diff.status;
    return { ...diff, status, hunks: isSpaceIgnored ? ignoreSpace(diff.hunks) : diff.hunks };
  }, [diff, isSpaceIgnored]);
  const tools = useLineTools(
    thread.id,
    path,
    onRestore === null ? null : (hunk) => onRestore({ hunks: [{ path, ...readPlace(hunk) }] }),
  );
  return (
    <article className="changed-file" data-path={path} aria-label={path} tabIndex={-1} ref={frame}>
      <div className="changed-file-head">
        <Icon name={file.status === "added" ? "file-add" : file.source === "command" ? "execute" : "edit"} />
        <span className="file-name" dir="ltr">
          {visible(path)}
        </span>
        {file.status !== "modified" && (
          <span className="tag">{file.status === "added" ? "new file" : file.status}</span>
        )}
        <LineCounts files={[file]} />
        <span className="hint">{sourceLabel(file, isRestore)}</span>
        <span className="changed-file-actions">
          <OpenFile thread={thread} path={path} line={firstLine(diff?.hunks)} />
          {onRestore !== null && (
            <button type="button" className="quiet" onClick={() => onRestore({ paths: [path] })}>
              <Icon name="undo" isSmall /> Undo file
            </button>
          )}
          <ViewedBox threadId={thread.id} file={file} hasLabel />
        </span>
      </div>
      <ErrorText error={error} />
      {diff !== undefined && shown !== undefined ? (
        <>
          {diff.status === "renamed" && (
            <p className="file-note">
              Renamed from <bdi>{visible(diff.old_path ?? "")}</bdi>.
            </p>
          )}
          <FileDiff file={shown} hasHead={false} folder={thread.cwd} maxRows={maxRows} isLinked={false} tools={tools} />
          {diff.not_kept !== undefined && (
            <p className="file-note" data-caution>
              {diff.not_kept}
            </p>
          )}
          {modeNote(file)}
        </>
      ) : (
        error === null && (
          <p className="file-note">{rows === null ? `${visible(path)} …` : `${visible(path)} is as it was.`}</p>
        )
      )}
    </article>
  );
}

function modeNote({ old_mode: before, new_mode: after }: ChangeRow) {
  if (typeof before !== "number" || typeof after !== "number") return null;
  return (
    <p className="file-note">
      Permissions: {octal(before)} → {octal(after)}
    </p>
  );
}

const octal = (mode: number) => (mode & 0o7777).toString(8);

function readPlace({ old_start, old_lines, new_start, new_lines }: Hunk): Omit<Hunk, "lines"> {
  return { old_start, old_lines, new_start, new_lines };
}

/** Where the first change is, in the file as it is after it. */
function firstLine(hunks: readonly Hunk[] = []): number | undefined {
  const [hunk] = hunks;
  if (hunk === undefined || hunk.new_lines === 0) return undefined;
  const before = hunk.lines.findIndex((line) => !line.startsWith(" "));
  return Math.max(1, hunk.new_start + Math.max(0, before));
}

/** True once the element has come near the screen. */
function useIsNear(frame: { readonly current: HTMLElement | null }): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setNear(true);
      },
      { rootMargin: "600px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return isNear;
}
