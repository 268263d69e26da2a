// Applies the hunks of a patch to a text, in order. Lines are matched whole, and as tolerantly as an edit's; of several places one is meant only where
// an anchor line or the end of the file says which.
import { nearestText } from "./nearest-text.ts";
import type { Hunk } from "./parse-patch.ts";
import { tolerantPlace } from "./tolerant-place.ts";

type ApplyResult =
  | {
      readonly text: string;
      /** In what places differed from the hunks. */
      readonly differences: readonly string[];
    }
  /** For the model: why nothing was changed, and what to do about it. */
  | { readonly problem: string };

const maxNamedLines = 10;

export function applyHunks(before: string, hunks: readonly Hunk[]): ApplyResult {
  const differences: string[] = [];
  let done = "";
  let rest = before;
  for (const [index, hunk] of hunks.entries()) {
    const place = findPlace(rest, hunk, done.split("\n").length - 1);
    if ("problem" in place) {
      const which = hunks.length === 1 ? "" : `Hunk ${index + 1} of ${hunks.length}: `;
      return { problem: `${which}${place.problem}` };
    }
    if (place.difference !== undefined) differences.push(place.difference);
    done += rest.slice(0, place.start) + withEnding(place.newText, detectLineEnding(before));
    rest = rest.slice(place.end);
  }
  const text = done + rest;
  return text === before ? { problem: "It would change nothing: the lines are there already." } : { text, differences };
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
  readonly difference?: string;
}

function findPlace(text: string, hunk: Hunk, linesBefore: number): Place | { readonly problem: string } {
  const lines = text.split("\n");
  const { anchors, oldLines, newLines, kept, isAtEnd } = hunk;
  let from = 0;
  for (const anchor of anchors) {
    const found = lines.findIndex((line, index) => index >= from && line.trim() === anchor);
    if (found < 0) return { problem: `The line after @@ was not found: ${anchor}.${nearestText(text, anchor)}` };
    from = found + 1;
  }
  const added = newLines.map((line) => `${line}\n`).join("");
  if (oldLines.length === 0) {
    // Only new lines: after the anchor, else at the end.
    const start = anchors.length > 0 ? findOffset(lines, from) : text.length;
    const needsEnd = start === text.length && text !== "" && !text.endsWith("\n");
    return { start, end: start, newText: needsEnd ? `\n${added}` : added };
  }
  const places = findPlaces(lines, oldLines, from);
  const chosen = isAtEnd ? places.at(-1) : places[0];
  if (places.length > 1 && anchors.length === 0 && !isAtEnd) return { problem: ambiguous(places, linesBefore) };
  if (chosen !== undefined) {
    const isLast = chosen + oldLines.length === lines.length;
    const end = isLast ? text.length : findOffset(lines, chosen + oldLines.length);
    return { start: findOffset(lines, chosen), end, newText: isLast ? added.slice(0, -1) : added };
  }
  const skipped = findOffset(lines, from);
  const wanted = oldLines.join("\n");
  const tolerant = tolerantPlace(text.slice(skipped), wanted, newLines.join("\n"));
  if (tolerant === null) return { problem: `Its lines were not found.${nearestText(text, wanted)}` };
  // The lines around stay as they are in the file, not as the patch has them.
  const found = text.slice(skipped + tolerant.start, skipped + tolerant.end).split("\n");
  const changed = tolerant.newText.split("\n").map((line, index) => found[kept[index] ?? -1] ?? line);
  // Where no line stays, the end of the last one goes too.
  const isGone = newLines.length === 0 && text.slice(skipped + tolerant.end).startsWith("\n");
  const [start, end] = [tolerant.start + skipped, tolerant.end + skipped + (isGone ? 1 : 0)];
  return { start, end, newText: changed.join("\n"), difference: tolerant.difference };
}

function findPlaces(lines: readonly string[], wanted: readonly string[], from: number): readonly number[] {
  const places: number[] = [];
  for (let first = from; first + wanted.length <= lines.length; first++) {
    if (wanted.every((line, index) => lines[first + index]?.replace(/\r$/, "") === line)) places.push(first);
  }
  return places;
}

function findOffset(lines: readonly string[], index: number): number {
  return lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0);
}

function ambiguous(places: readonly number[], linesBefore: number): string {
  const named = places.slice(0, maxNamedLines).map((index) => linesBefore + index + 1);
  const more = places.length > maxNamedLines ? ", …" : "";
  return `Its lines are in ${places.length} places (lines ${named.join(", ")}${more}). Add lines around them, or @@ with a line that stands before the right place.`;
}

function detectLineEnding(text: string): "\r\n" | "\n" {
  const crlf = text.split("\r\n").length - 1;
  return crlf > 0 && crlf * 2 >= text.split("\n").length - 1 ? "\r\n" : "\n";
}

function withEnding(text: string, ending: string): string {
  return text.replace(/\r?\n/g, ending);
}
