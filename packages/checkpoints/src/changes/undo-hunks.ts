// Takes some hunks of a difference back and leaves the others. Pure.
import type { Hunk } from "@signalbox/protocol";

/** By its place a hunk is known; the lines are computed again. */
export type HunkPlace = Pick<Hunk, "old_start" | "old_lines" | "new_start" | "new_lines">;

/** `text` with the hunks, which led to it, undone. */
export function undoHunks(text: string, hunks: readonly Hunk[]): string {
  const lines = text.split(/(?<=\n)/);
  const parts: string[] = [];
  let at = 0;
  for (const hunk of hunks.toSorted((a, b) => a.new_start - b.new_start)) {
    const start = hunk.new_lines === 0 ? hunk.new_start : hunk.new_start - 1;
    parts.push(lines.slice(at, start).join(""), readOldLines(hunk).join(""));
    at = start + hunk.new_lines;
  }
  return `${parts.join("")}${lines.slice(at).join("")}`;
}

export function hasPlace(hunk: Hunk, place: HunkPlace): boolean {
  return (
    hunk.old_start === place.old_start &&
    hunk.old_lines === place.old_lines &&
    hunk.new_start === place.new_start &&
    hunk.new_lines === place.new_lines
  );
}

function readOldLines({ lines }: Hunk): readonly string[] {
  return lines.flatMap((line, index) => {
    if (line.startsWith("+") || line.startsWith("\\")) return [];
    const hasNewline = lines[index + 1]?.startsWith("\\") !== true;
    return [`${line.slice(1)}${hasNewline ? "\n" : ""}`];
  });
}
