// Lists the changed files by folder, with what happened to each, how many lines, and by what: an edit of the agent or a command.
import type { ChangeRow } from "@signalbox/protocol";
import { useState } from "react";
import { visible } from "../../text/visible.ts";
import { LineCounts } from "../diff/line-counts.tsx";
import { Icon } from "../shared/icon.tsx";

/** Fewer files need no filter. */
const minFiltered = 8;

const sourceLabels: Readonly<Record<ChangeRow["source"], string>> = {
  tool: "by an edit of the agent",
  command: "by a command",
  both: "by an edit of the agent and by a command",
};

/** Who changed the file: what was put back was put back by a person. */
export function sourceLabel({ source }: ChangeRow, isRestore: boolean): string {
  return isRestore ? "put back by you" : sourceLabels[source];
}

interface FileListProps {
  readonly isRestore: boolean;
  readonly files: readonly ChangeRow[];
  readonly onChoose: (path: string) => void;
}

export function FileList({ files, isRestore, onChoose }: FileListProps) {
  const [filter, setFilter] = useState("");
  const shown = files.filter(({ path }) => path.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <nav className="changes-files" aria-label="Changed files">
      {files.length >= minFiltered && (
        <input
          type="search"
          aria-label="Filter files"
          placeholder="Filter files"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {byFolder(shown).map(([folder, inFolder]) => (
        <section key={folder}>
          <h2>
            <bdi>{folder === "" ? "this folder" : visible(folder)}</bdi> <LineCounts files={inFolder} />
          </h2>
          <ul>
            {inFolder.map((file) => (
              <li key={file.path}>
                <button
                  type="button"
                  title={`${visible(file.path)}: ${file.status} ${sourceLabel(file, isRestore)}`}
                  onClick={() => onChoose(file.path)}
                >
                  <Icon name={file.source === "command" ? "execute" : "edit"} />
                  <span data-status={file.status}>{visible(readFileName(file.path))}</span>
                  <LineCounts files={[file]} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {shown.length === 0 && <p className="hint">No matches.</p>}
    </nav>
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
