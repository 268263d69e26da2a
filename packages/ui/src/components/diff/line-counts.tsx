// Shows how many lines changes add and remove.
import type { ChangedFile } from "@signalbox/protocol";

/** Of all files together; nothing where they are not known. */
export function LineCounts({ files }: { files: readonly Pick<ChangedFile, "added" | "removed">[] }) {
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
