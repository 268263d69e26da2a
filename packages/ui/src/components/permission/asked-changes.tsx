// Shows the changes that a question is about, as the host compared the whole texts: nothing is computed here.
import type { BlobRef, ChangedFile } from "@signalbox/protocol";
import { useMemo } from "react";
import { useWholeTexts } from "../../hooks/use-whole-texts.ts";
import { diffOfHunks } from "../../text/line-diff.ts";
import { shortPath } from "../../text/paths.ts";
import { bytes } from "../../text/sizes.ts";
import { DiffView } from "../tool-call/diff-view.tsx";

interface AskedChangesProps {
  readonly files: readonly ChangedFile[];
  /** Where all of them are, if `files` has only the beginning. */
  readonly all: BlobRef | null;
  readonly outside: readonly string[];
  readonly folder: string;
}

export function AskedChanges({ files, all, outside, folder }: AskedChangesProps) {
  const whole = useWholeTexts([all]);
  const text = whole.status === "loaded" ? (whole.texts[0] ?? "") : "";
  const loaded = useMemo(() => (text === "" ? null : (JSON.parse(text) as readonly ChangedFile[])), [text]);
  const isPart = all !== null && loaded === null;
  return (
    <div className="asked-changes">
      {isPart && (
        <p className="ask-note" data-caution>
          {whole.status === "loading"
            ? "This is the beginning. Loading the rest …"
            : `This is only the beginning${whole.status === "failed" ? `; the rest could not be loaded: ${whole.error}` : ", too much to show here"}.`}
        </p>
      )}
      {(loaded ?? files).map((file, index) => (
        <AskedFile
          key={index}
          file={file}
          isOutside={outside.includes(file.path)}
          folder={folder}
          isPart={isPart && index < files.length}
        />
      ))}
    </div>
  );
}

interface AskedFileProps {
  readonly file: ChangedFile;
  readonly isOutside: boolean;
  readonly folder: string;
  readonly isPart: boolean;
}

function AskedFile({ file, isOutside, folder, isPart }: AskedFileProps) {
  const { path, hunks, status, binary, too_big: isTooBig, old_size: oldSize, new_size: newSize } = file;
  const diff = useMemo(() => diffOfHunks(file), [file]);
  const label = shortPath(path, folder);
  return (
    <section aria-label={label}>
      <p className="path asked-path">
        {isOutside && <OutsideMark />}
        <span className="asked-name">{label}</span>
        {status !== "modified" && <span className="chip">{status === "added" ? "new file" : "deleted"}</span>}
        <FileCounts files={[file]} />
      </p>
      {binary === true && <p className="ask-note">binary, {sizes(oldSize, newSize)}: its content cannot be shown.</p>}
      {isTooBig === true && (
        <p className="ask-note" data-caution>
          Too big to compare ({sizes(oldSize, newSize)}): what changes cannot be shown here.
        </p>
      )}
      {file.unread === true && (
        <p className="ask-note" data-caution>
          The file on the disk could not be read. {hunks.length > 0 && "This is the agent’s own comparison."}
        </p>
      )}
      {file.outdated === true && (
        <p className="ask-note" data-caution>
          The file on the disk is not the text that the agent compared with. This is the agent’s own comparison.
        </p>
      )}
      {file.part === true && (
        <p className="ask-note" data-caution>
          The agent names a part that is not in the file exactly once: lines are counted from the beginning of that
          part.
        </p>
      )}
      {hunks.length > 0 && <DiffView diff={diff} change={{ path, before: "", after: "" }} label={label} />}
      {hunks.length === 0 && binary !== true && isTooBig !== true && file.unread !== true && !isPart && (
        <p className="ask-note">{status === "modified" ? "The text stays the same." : "An empty file."}</p>
      )}
    </section>
  );
}

/** Added and removed lines of all files; nothing where they are not known. */
export function FileCounts({ files }: { files: readonly ChangedFile[] }) {
  const sum = (key: "added" | "removed") =>
    files.reduce<number | null>((total, file) => (total === null || file[key] === null ? null : total + file[key]), 0);
  const [added, removed] = [sum("added"), sum("removed")];
  if (added === null || removed === null || added + removed === 0) return null;
  return (
    <span className="counts">
      {added > 0 && <span className="plus">+{added.toLocaleString("en")}</span>}{" "}
      {removed > 0 && <span className="minus">−{removed.toLocaleString("en")}</span>}
    </span>
  );
}

export function OutsideMark() {
  return <span className="chip outside">outside the folder</span>;
}

function sizes(before: number | null, after: number | null): string {
  if (before === null) return after === null ? "size unknown" : `new, ${bytes(after)}`;
  return after === null ? `${bytes(before)}, deleted` : `${bytes(before)} → ${bytes(after)}`;
}
