// Finds the entry that the keys for "next tool call" and "next error" lead to.
import type { FoldedWork, TimelineEntry } from "../../hooks/use-timeline.ts";

export function isToolCall(entry: TimelineEntry): boolean {
  return entry.type === "run" || (entry.type === "item" && entry.item.type === "tool_call");
}

export function isError(entry: TimelineEntry): boolean {
  if (entry.type === "turn_end") return entry.turn.status === "failed" || entry.turn.status === "interrupted";
  if (entry.type === "item" && entry.item.type === "tool_call" && entry.item.status === "failed") return true;
  return readFold(entry)?.calls.some((call) => call.status === "failed") ?? false;
}

/** The folded work of a sub-agent at this entry. */
export function readFold(entry: TimelineEntry | undefined): FoldedWork | null {
  if (entry?.type !== "item" && entry?.type !== "sub_agent") return null;
  return entry.work === null || entry.work.isOpen ? null : entry.work;
}

/** The next entry that fits, continuing at the other end; -1 when there is none. */
export function nextIndex(
  entries: readonly TimelineEntry[],
  fits: (entry: TimelineEntry) => boolean,
  from: number,
  step: 1 | -1,
): number {
  for (let distance = 1; distance <= entries.length; distance++) {
    const index = (from + step * distance + entries.length * 2) % entries.length;
    const entry = entries[index];
    if (entry !== undefined && fits(entry)) return index;
  }
  return -1;
}
