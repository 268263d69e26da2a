// Lists the changed files by folder, with what happened to each, how many lines, and by what: an edit of the agent or a command.
import type { ChangeRow } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import { useState } from "react";
import { lineComments, selectComments } from "../../stores/line-comments.ts";
import { isViewed, viewedFiles } from "../../stores/viewed-files.ts";
import { visible } from "../../text/visible.ts";
import { LineCounts } from "../diff/line-counts.tsx";
import { Icon } from "../shared/icon.tsx";
import { ViewedBox } from "./viewed-box.tsx";

const sourceLabels: Readonly<Record<ChangeRow["source"], string>> = {
  tool: "by an edit of the agent",
  command: "by a command",
  both: "by an edit of the agent and by a command",
};

/** Who changed the file: only a person undoes changes. */
export function sourceLabel({ source }: ChangeRow, isRestore: boolean): string {
  return isRestore ? "undone by you" : sourceLabels[source];
}

interface FileListProps {
  readonly threadId: string;
  readonly isRestore: boolean;
  readonly files: readonly ChangeRow[];
  readonly onChoose: (path: string) => void;
}

export function FileList({ threadId, files, isRestore, onChoose }: FileListProps) {
  const [filter, setFilter] = useState("");
  const viewed = useStore(viewedFiles);
  const comments = selectComments(useStore(lineComments), threadId);
  const shown = files.filter(({ path }) => path.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <nav className="changes-files" aria-label="Changed files">
      <input
        type="search"
        aria-label="Filter files"
        placeholder={`Filter ${files.length === 1 ? "1 file" : `${files.length} files`}`}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      {byFolder(shown).map(([folder, inFolder]) => (
        <section key={folder}>
          <h2>
            <bdi>{folder === "" ? "this folder" : visible(folder)}</bdi> <LineCounts files={inFolder} />
          </h2>
          <ul>
            {inFolder.map((file) => (
              <li key={file.path} data-viewed={isViewed(viewed, threadId, file) || undefined}>
                <button
                  type="button"
                  title={`${visible(file.path)}: ${file.status} ${sourceLabel(file, isRestore)}`}
                  onClick={() => onChoose(file.path)}
                >
                  <Icon name={file.source === "command" ? "execute" : "edit"} />
                  <span data-status={file.status}>{visible(readFileName(file.path))}</span>
                  <CommentCount comments={comments.filter(({ path }) => path === file.path).length} />
                  <LineCounts files={[file]} />
                </button>
                <ViewedBox threadId={threadId} file={file} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {shown.length === 0 && <p className="hint">No matches.</p>}
      <p className="viewed-sum">
        {files.filter((file) => isViewed(viewed, threadId, file)).length} of {files.length} viewed
      </p>
    </nav>
  );
}

function CommentCount({ comments }: { comments: number }) {
  if (comments === 0) return null;
  return (
    <span className="comment-count">
      <Icon name="comment" isSmall /> {comments}
      <span className="visually-hidden"> {comments === 1 ? "comment" : "comments"}</span>
    </span>
  );
}

function byFolder(files: readonly ChangeRow[]): readonly (readonly [string, readonly ChangeRow[]])[] {
  const folders = new Map<string, ChangeRow[]>();
  for (const file of files) {
    const folder = file.path.includes("/") ? file.path.slice(0, file.path.lastIndexOf("/")) : "";
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders];
}

function readFileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
