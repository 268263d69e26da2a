// Compares two texts line by line: the one comparison behind "+12 −3" of a tool call, its card, a question and Changes, so that they agree. Applied to the
// old text, the hunks give the new one. The work is bounded by the texts and not by time: the result must not depend on how busy the machine is.
import { type Change, diffArrays, diffWordsWithSpace } from "diff";
import type { Hunk } from "./asked-about.ts";

export interface Comparison {
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
  /** There were too many changes: in some parts everything between the first and the last one counts as changed. */
  readonly isRough: boolean;
}

const context = 3;
/** More edits than this in one part are too many for the exact algorithm: the part is divided first. */
const maxEdits = 400;
const maxDivisions = 300;
const linesPerStep = 2000;

/** Lines of the old text and lines of the new text that stand in their place; the ends are exclusive. */
interface Range {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

export function compareLines(before: string, after: string): Comparison {
  const steps = compareInSteps(before, after);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Yields every few milliseconds, so that a caller can let other work go first. */
export function* compareInSteps(before: string, after: string): Generator<undefined, Comparison> {
  const [oldLines, newLines] = [yield* splitLines(before), yield* splitLines(after)];
  const numbers = new Map<string, number>();
  const [old, now] = [yield* numberLines(oldLines, numbers), yield* numberLines(newLines, numbers)];
  const { ranges, isRough } = yield* findChangedRanges(old, now);
  return {
    hunks: makeHunks(ranges, oldLines, newLines),
    added: ranges.reduce((sum, { newStart, newEnd }) => sum + newEnd - newStart, 0),
    removed: ranges.reduce((sum, { oldStart, oldEnd }) => sum + oldEnd - oldStart, 0),
    isRough,
  };
}

/** The lines, each with its newline. */
function* splitLines(text: string): Generator<undefined, readonly string[]> {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
    if (lines.length % linesPerStep === 0) yield;
  }
  return lines;
}

/** The same number for the same line: numbers are compared faster, many times. */
function* numberLines(lines: readonly string[], numbers: Map<string, number>): Generator<undefined, number[]> {
  const found: number[] = [];
  for (const line of lines) {
    const known = numbers.get(line) ?? numbers.size;
    numbers.set(line, known);
    found.push(known);
    if (found.length % linesPerStep === 0) yield;
  }
  return found;
}

/** In order, none touching the next. */
function* findChangedRanges(
  old: number[],
  now: number[],
): Generator<undefined, { readonly ranges: readonly Range[]; readonly isRough: boolean }> {
  const ranges: Range[] = [];
  let isRough = false;
  let divisions = 0;
  const open: Range[] = [{ oldStart: 0, oldEnd: old.length, newStart: 0, newEnd: now.length }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    yield;
    const range = trimRange(part, old, now);
    const exact = divisions < maxDivisions ? findExactRanges(range, old, now) : findOneSidedChange(range);
    const parts = exact ?? (divisions++ < maxDivisions ? divideRange(range, old, now) : [range]);
    if (exact === undefined && parts.length > 1) for (const each of parts.toReversed()) open.push(each);
    else for (const each of parts) ranges.push(each);
    isRough ||= exact === undefined && parts.length === 1;
  }
  return { ranges, isRough };
}

/** A change that only adds or only removes, or no change, needs no comparison. */
function findOneSidedChange(range: Range): readonly Range[] | undefined {
  const isAdded = range.oldStart === range.oldEnd;
  const isRemoved = range.newStart === range.newEnd;
  if (isAdded && isRemoved) return [];
  return isAdded || isRemoved ? [range] : undefined;
}

function trimRange(
  { oldStart, oldEnd, newStart, newEnd }: Range,
  old: readonly number[],
  now: readonly number[],
): Range {
  const most = Math.min(oldEnd - oldStart, newEnd - newStart);
  let start = 0;
  while (start < most && old[oldStart + start] === now[newStart + start]) start++;
  let end = 0;
  while (end < most - start && old[oldEnd - 1 - end] === now[newEnd - 1 - end]) end++;
  return { oldStart: oldStart + start, oldEnd: oldEnd - end, newStart: newStart + start, newEnd: newEnd - end };
}

/** Undefined when there are too many edits. */
function findExactRanges(range: Range, old: number[], now: number[]): readonly Range[] | undefined {
  const simple = findOneSidedChange(range);
  if (simple !== undefined) return simple;
  const { oldStart, oldEnd, newStart, newEnd } = range;
  const options = { maxEditLength: maxEdits };
  const parts = diffArrays(old.slice(oldStart, oldEnd), now.slice(newStart, newEnd), options);
  if (parts === undefined) return undefined;
  const ranges: Range[] = [];
  let [oldAt, newAt] = [oldStart, newStart];
  let [oldFrom, newFrom] = [oldAt, newAt];
  const closeRange = () => {
    if (oldFrom < oldAt || newFrom < newAt)
      ranges.push({ oldStart: oldFrom, oldEnd: oldAt, newStart: newFrom, newEnd: newAt });
  };
  for (const { added, removed, count } of parts) {
    if (removed) oldAt += count;
    else if (added) newAt += count;
    else {
      closeRange();
      oldAt += count;
      newAt += count;
      oldFrom = oldAt;
      newFrom = newAt;
    }
  }
  closeRange();
  return ranges;
}

/** Divides a part at the lines that occur once on each side, as far as they come in the same order. */
function divideRange(range: Range, old: readonly number[], now: readonly number[]): readonly Range[] {
  const inOld = findUniqueLines(old, range.oldStart, range.oldEnd);
  const pairs = [...findUniqueLines(now, range.newStart, range.newEnd)]
    .flatMap(([line, newAt]) => {
      const oldAt = inOld.get(line);
      return oldAt === undefined ? [] : [{ oldAt, newAt }];
    })
    .toSorted((a, b) => a.newAt - b.newAt);
  const parts: Range[] = [];
  let { oldStart, newStart } = range;
  for (const { oldAt, newAt } of selectRisingPairs(pairs)) {
    parts.push({ oldStart, oldEnd: oldAt, newStart, newEnd: newAt });
    oldStart = oldAt + 1;
    newStart = newAt + 1;
  }
  return [...parts, { oldStart, oldEnd: range.oldEnd, newStart, newEnd: range.newEnd }];
}

/** Where each line is that occurs once. */
function findUniqueLines(lines: readonly number[], start: number, end: number): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (let at = start; at < end; at++) {
    const line = lines[at] ?? -1;
    places.set(line, places.has(line) ? -1 : at);
  }
  for (const [line, at] of places) if (at < 0) places.delete(line);
  return places;
}

interface Pair {
  readonly oldAt: number;
  readonly newAt: number;
}

/** The longest selection, in order, in which `oldAt` rises. */
function selectRisingPairs(pairs: readonly Pair[]): readonly Pair[] {
  /** For each length the pair with the smallest `oldAt` that ends such a selection. */
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, { oldAt }] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.oldAt ?? 0) < oldAt) low = middle + 1;
      else high = middle;
    }
    previous.push(low === 0 ? -1 : (ends[low - 1] ?? -1));
    ends[low] = index;
  }
  const selected: Pair[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) selected.push(pair);
  }
  return selected.toReversed();
}

function makeHunks(ranges: readonly Range[], old: readonly string[], now: readonly string[]): readonly Hunk[] {
  const groups: Range[][] = [];
  for (const range of ranges) {
    const last = groups.at(-1);
    if (range.oldStart - (last?.at(-1)?.oldEnd ?? Number.NEGATIVE_INFINITY) <= 2 * context) last?.push(range);
    else groups.push([range]);
  }
  return groups.map((group) => makeHunk(group, old, now));
}

function makeHunk(group: readonly Range[], old: readonly string[], now: readonly string[]): Hunk {
  const [first, last] = [group[0], group.at(-1)];
  const oldStart = Math.max(0, (first?.oldStart ?? 0) - context);
  const newStart = (first?.newStart ?? 0) - ((first?.oldStart ?? 0) - oldStart);
  const oldEnd = Math.min(old.length, (last?.oldEnd ?? 0) + context);
  const newEnd = (last?.newEnd ?? 0) + oldEnd - (last?.oldEnd ?? 0);
  const lines: string[] = [];
  const add = (sign: string, from: readonly string[], start: number, end: number) => {
    for (const line of from.slice(start, end)) {
      const isEnded = line.endsWith("\n");
      lines.push(sign + (isEnded ? line.slice(0, -1) : line));
      if (!isEnded) lines.push("\\ No newline at end of file");
    }
  };
  let at = oldStart;
  for (const range of group) {
    add(" ", old, at, range.oldStart);
    add("-", old, range.oldStart, range.oldEnd);
    add("+", now, range.newStart, range.newEnd);
    at = range.oldEnd;
  }
  add(" ", old, at, oldEnd);
  return {
    old_start: numberFirstLine(oldStart, oldEnd),
    old_lines: oldEnd - oldStart,
    new_start: numberFirstLine(newStart, newEnd),
    new_lines: newEnd - newStart,
    lines,
  };
}

/** As in every unified diff: a side without lines is counted from the line before it. */
function numberFirstLine(start: number, end: number): number {
  return start === end ? start : start + 1;
}

const maxWordEdits = 200;

/** The words and blanks of two lines, in order; null where too many of them differ. */
export function compareWithinLine(before: string, after: string): readonly Change[] | null {
  return diffWordsWithSpace(before, after, { maxEditLength: maxWordEdits }) ?? null;
}
