// How long something took: in words, and of a tool call without the time in which a person was asked.
import type { ToolCallRow } from "./tables.ts";

/** "20 ms", "2.4 s", "3 min 12 s", "1 h 2 min". The same on the page and in a terminal. */
export function duration(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds) % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * How long an ended call took, without the time in which it waited for a person; null while it is open, and where it is not known: of a call
 * that was announced when it had ended.
 */
export function toolCallMs(
  call: Pick<ToolCallRow, "created_at" | "started_at" | "ended_at" | "waited_ms">,
): number | null {
  const { created_at, started_at, ended_at, waited_ms } = call;
  if (ended_at === null || (started_at === null && ended_at === created_at)) return null;
  // Most calls start after the answer; one that started before it has the waiting in its time.
  return Math.max(0, Math.min(ended_at - (started_at ?? created_at), ended_at - created_at - waited_ms));
}
