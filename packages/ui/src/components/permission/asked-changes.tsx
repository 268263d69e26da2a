// Shows the changes that a question is about. What is folded at first is reported when it is opened.
import type { ChangedFile } from "@signalbox/protocol";
import { FileDiff, rowCount } from "../diff/file-diff.tsx";
import type { AskedFiles } from "./use-asked-files.ts";

/** A card scrolls, so that most changes are there without a click. */
const maxRows = 240;

interface AskedChangesProps {
  readonly asked: AskedFiles;
  readonly outside: readonly string[];
  readonly folder: string;
  readonly onWhole: (path: string) => void;
}

export function AskedChanges({ asked: { files, missing }, outside, folder, onWhole }: AskedChangesProps) {
  /** Files outside the folder come first; at the end of a long list they would be missed. */
  const byPlace = (a: ChangedFile, b: ChangedFile) =>
    Number(outside.includes(b.path)) - Number(outside.includes(a.path));
  return (
    <div className="asked-changes">
      {missing !== null && (
        <p className="ask-note" data-caution>
          {missing}
        </p>
      )}
      {files.toSorted(byPlace).map((file, index) => (
        <FileDiff
          key={index}
          file={file}
          folder={folder}
          marks={outside.includes(file.path) && <OutsideMark />}
          isPart={missing !== null}
          maxRows={maxRows}
          onWhole={() => onWhole(file.path)}
        />
      ))}
    </div>
  );
}

/** The files of which only the first rows are shown until a click. */
export function foldedPaths(files: AskedFiles["files"]): readonly string[] {
  return files.filter((file) => rowCount(file) > maxRows).map(({ path }) => path);
}

export function OutsideMark() {
  return <span className="chip outside">outside the folder</span>;
}
