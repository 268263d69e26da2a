// Leaves out of a comparison what differs only in white space.
import type { Hunk } from "@signalbox/protocol";

/** Hunks without another difference are left out. The places of the others stay. */
export function ignoreSpace(hunks: readonly Hunk[]): readonly Hunk[] {
  return hunks
    .map((hunk) => ({ ...hunk, lines: ignoreInLines(hunk.lines) }))
    .filter(({ lines }) => lines.some((line) => line.startsWith("+") || line.startsWith("-")));
}

function ignoreInLines(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = takeWhile(lines, at, "-");
    const added = takeWhile(lines, at + removed.length, "+");
    if (removed.length === 0 && added.length === 0) {
      kept.push(lines[at++] ?? "");
      continue;
    }
    at += removed.length + added.length;
    // Only where each line has its partner do the line numbers stay true.
    const isSpaceOnly =
      removed.length === added.length && removed.every((line, index) => strip(line) === strip(added[index] ?? ""));
    if (isSpaceOnly) kept.push(...added.map((line) => ` ${line.slice(1)}`));
    else kept.push(...removed, ...added);
  }
  return kept;
}

function takeWhile(lines: readonly string[], from: number, sign: "+" | "-"): readonly string[] {
  const end = lines.findIndex((line, index) => index >= from && !line.startsWith(sign));
  return lines.slice(from, end < 0 ? undefined : end);
}

const strip = (line: string) => line.slice(1).replaceAll(/\s+/g, "");
