// Where the keys for "next tool call" and "next error" lead.
import type { FoldedWork, Stop } from "../../hooks/use-timeline.ts";

export function isToolCall(stop: Stop): boolean {
  return stop.type === "item" && stop.item.type === "tool_call";
}

export function isError(stop: Stop): boolean {
  if (stop.type === "turn_end") return stop.turn.status === "failed" || stop.turn.status === "interrupted";
  if (stop.type === "item" && stop.item.type === "tool_call" && stop.item.status === "failed") return true;
  return foldOf(stop)?.calls.some((call) => call.status === "failed") ?? false;
}

/** What is folded away at a stop. */
export function foldOf(stop: Stop | undefined): FoldedWork | null {
  if (stop?.type !== "item" && stop?.type !== "sub_agent") return null;
  return stop.work === null || stop.work.isOpen ? null : stop.work;
}

/** The next stop that is wanted, around the end to the beginning; -1 when there is none. */
export function nextIndex(stops: readonly Stop[], wanted: (stop: Stop) => boolean, from: number, step: 1 | -1): number {
  for (let distance = 1; distance <= stops.length; distance++) {
    const index = (from + step * distance + stops.length * 2) % stops.length;
    const stop = stops[index];
    if (stop !== undefined && wanted(stop)) return index;
  }
  return -1;
}
