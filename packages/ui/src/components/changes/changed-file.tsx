// One changed file: its head with what can be done, and its change, which loads when it comes near the screen. Lines can be commented on, and
// the file or a part of it put back.
import type { ChangeRow, Hunk, ThreadRow } from "@signalbox/protocol";
import { useEffect, useRef, useState } from "react";
import { useQuery } from "../../hooks/use-query.ts";
import { useStore } from "../../hooks/use-store.ts";
import { editor } from "../../stores/preferences.ts";
import { editorAddress, editors } from "../../text/editor-links.ts";
import { visible } from "../../text/visible.ts";
import { FileDiff } from "../diff/file-diff.tsx";
import { CopyButton } from "../shared/copy-button.tsx";
import { sourceLabels } from "./file-list.tsx";
import { useLineTools } from "./line-comment.tsx";
import type { RestoredPart } from "./restore-dialog.tsx";

interface ChangedFileProps {
  readonly file: ChangeRow;
  readonly thread: ThreadRow;
  readonly turnId: string | null;
  /** Changes when the file may have changed again. */
  readonly stamp: string;
  /** Null while nothing can be put back. */
  readonly onRestore: ((part: RestoredPart) => void) | null;
}

/** Longer changes are folded. */
const maxRows = 400;

export function ChangedFile({ file, thread, turnId, stamp, onRestore }: ChangedFileProps) {
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
  const tools = useLineTools(
    thread.id,
    path,
    onRestore === null ? null : (hunk) => onRestore({ hunks: [{ path, ...placeOf(hunk) }] }),
  );
  const chosenEditor = useStore(editor);
  const address = editorAddress(chosenEditor, absolute(thread.cwd, path));
  return (
    <article className="changed-file" data-path={path} aria-label={path} tabIndex={-1} ref={frame}>
      <div className="changed-file-actions">
        <span className="hint">{sourceLabels[file.source]}</span>
        <CopyButton text={absolute(thread.cwd, path)} label="Copy path" />
        {address !== null && (
          <a className="copy" href={address}>
            Open in {editors[chosenEditor]}
          </a>
        )}
        {onRestore !== null && (
          <button type="button" className="copy" onClick={() => onRestore({ paths: [path] })}>
            Put this file back …
          </button>
        )}
      </div>
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
      {diff !== undefined ? (
        <>
          {diff.status === "renamed" && (
            <p className="file-note">
              Renamed from <bdi>{visible(diff.old_path ?? "")}</bdi>.
            </p>
          )}
          <FileDiff
            file={{ ...diff, status: diff.status === "renamed" ? "modified" : diff.status }}
            folder={thread.cwd}
            maxRows={maxRows}
            tools={tools}
          />
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

function placeOf({ old_start, old_lines, new_start, new_lines }: Hunk): Omit<Hunk, "lines"> {
  return { old_start, old_lines, new_start, new_lines };
}

function absolute(folder: string, path: string): string {
  return `${folder.replace(/\/$/, "")}/${path}`;
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
