// Shows the change of one file: its name, what happens to it, how many lines, and the hunks, or why there are none to show.

import type { ChangedFile } from "@signalbox/protocol";
import { bytes } from "@signalbox/protocol/sizes";
import { type ReactNode, useState } from "react";
import { shortPath } from "../../text/paths.ts";
import { visible } from "../../text/visible.ts";
import { PathLink } from "../shared/path-link.tsx";
import { type DiffTools, DiffView } from "./diff-view.tsx";
import { LineCounts } from "./line-counts.tsx";

/** The sizes are only said where there is no comparison to show. */
export type ShownChange = Omit<ChangedFile, "old_size" | "new_size"> &
  Partial<Pick<ChangedFile, "old_size" | "new_size">>;

interface FileDiffProps {
  readonly file: ShownChange;
  readonly folder: string;
  /** Marks shown beside the file name. */
  readonly marks?: ReactNode;
  /** Only the beginning of the change is here. */
  readonly isPart?: boolean;
  /** A longer change is folded after this many rows. */
  readonly maxRows: number;
  /** Called when all rows are shown on a click. */
  readonly onWhole?: () => void;
  readonly tools?: DiffTools;
  /** Whether the name leads to the Changes view. */
  readonly isLinked?: boolean;
  /** False where the bar above it names the file. */
  readonly hasHead?: boolean;
}

export function FileDiff({
  file,
  folder,
  marks,
  isPart = false,
  maxRows,
  onWhole,
  tools,
  isLinked = true,
  hasHead = true,
}: FileDiffProps) {
  const { path, hunks, status } = file;
  const [isWhole, setWhole] = useState(false);
  const label = visible(shortPath(path, folder));
  const rows = rowCount(file);
  return (
    <section className="file-diff" aria-label={label}>
      {hasHead && (
        <div className="file-head">
          {marks}
          <span className="file-name" dir="ltr">
            {isLinked ? <PathLink path={path}>{label}</PathLink> : label}
          </span>
          {status !== "modified" && <span className="tag">{status === "added" ? "new file" : "deleted"}</span>}
          <LineCounts files={[file]} />
        </div>
      )}
      <FileNotes file={file} isPart={isPart} />
      {hunks.length > 0 && (
        <DiffView
          path={path}
          hunks={hunks}
          label={label}
          maxRows={isWhole ? Number.POSITIVE_INFINITY : maxRows}
          tools={tools}
        />
      )}
      {!isWhole && rows > maxRows && (
        <button
          type="button"
          className="more"
          onClick={() => {
            setWhole(true);
            onWhole?.();
          }}
        >
          Show all {rows.toLocaleString("en")} lines
        </button>
      )}
    </section>
  );
}

/** How many rows all hunks of the change have. */
export function rowCount({ hunks }: Pick<ChangedFile, "hunks">): number {
  return hunks.reduce((sum, { lines }) => sum + lines.filter((line) => !line.startsWith("\\")).length, 0);
}

/** Notes about the comparison, or the reason why there is none. */
function FileNotes({ file, isPart }: { file: ShownChange; isPart: boolean }) {
  const { hunks, status, binary, too_big: isTooBig, unread, old_size: oldSize = null, new_size: newSize = null } = file;
  const isEmpty = hunks.length === 0 && binary !== true && isTooBig !== true && unread !== true && !isPart;
  return (
    <>
      {binary === true && (
        <p className="file-note">binary, {sizes(oldSize, newSize, status)}: its content cannot be shown.</p>
      )}
      {isTooBig === true && (
        <p className="file-note" data-caution>
          Too big to compare ({sizes(oldSize, newSize, status)}): what changes cannot be shown here.
        </p>
      )}
      {unread === true && (
        <p className="file-note" data-caution>
          The file on the disk could not be read. {hunks.length > 0 && "This is the agent’s own comparison."}
        </p>
      )}
      {file.outdated === true && (
        <p className="file-note" data-caution>
          The file on the disk is not the text that the agent compared with. This is the agent’s own comparison.
        </p>
      )}
      {file.part === true && (
        <p className="file-note" data-caution>
          The part that the agent names is not in the file exactly once. Line numbers begin at the start of that part.
        </p>
      )}
      {file.rough === true && (
        <p className="file-note">
          Too many changes to compare line by line: everything between the first and the last change is shown as
          changed.
        </p>
      )}
      {isEmpty && <p className="file-note">{status === "modified" ? "The text stays the same." : "An empty file."}</p>}
    </>
  );
}

function sizes(before: number | null, after: number | null, status: ChangedFile["status"]): string {
  if (before === null) return after === null ? "size unknown" : `new, ${bytes(after)}`;
  if (after !== null) return `${bytes(before)} → ${bytes(after)}`;
  return status === "deleted" ? `${bytes(before)}, deleted` : `${bytes(before)} → unknown`;
}
