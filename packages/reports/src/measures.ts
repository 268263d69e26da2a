// Formats times, durations and counts for people.
import { duration, type ToolCallRow, toolCallMs } from "@signalbox/protocol";
import type { Layout } from "./layout.ts";

/** "3 min ago" on a terminal, else the local date and time. */
export function formatMoment(at: number, { isTerminal, now }: Layout): string {
  const seconds = Math.round((now - at) / 1000);
  if (!isTerminal || seconds < 0 || seconds > 7 * 86_400) return formatLocalTime(at);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** `2026-03-01 14:05`, in the local time zone. */
export function formatLocalTime(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${padToTwoDigits(date.getMonth() + 1)}-${padToTwoDigits(date.getDate())} ${padToTwoDigits(date.getHours())}:${padToTwoDigits(date.getMinutes())}`;
}

function padToTwoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

/** "1 thread", "2 threads". */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** "1.2 s", "1.2 s, waited 26.0 s for an answer"; empty while the call is open. */
export function formatCallTime(
  call: Pick<ToolCallRow, "created_at" | "started_at" | "ended_at" | "waited_ms">,
): string {
  const ms = toolCallMs(call);
  if (ms === null) return "";
  return `${duration(ms)}${call.waited_ms >= 1000 ? `, waited ${duration(call.waited_ms)} for an answer` : ""}`;
}
